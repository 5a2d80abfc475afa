// Which lines of the learner's file ask memory for something, how dearly, and the one request of each that the meters kept to look at. The
// line that wastes most comes first.
import type { CaseResult, Counters, Example } from '../api/result';
import type { Pictured } from '../../../trace/viewer/memory.js';
import { globalRequests } from '../lib/format';
import { ownFrame } from '../lib/lines';

export interface LineRequests {
  line: number;
  shared: boolean;
  requests: number;
  /// Sectors or wavefronts of all its requests, and as many as would do.
  units: number;
  ideal: number;
  /// The heaviest one; missing where the result has none.
  example?: Example;
}

export const keyOf = (row: { line: number; shared: boolean }): string => `${row.line}${row.shared ? 's' : 'g'}`;
export const waste = (row: { units: number; ideal: number }): number => row.units - row.ideal;

const ofGlobal = (k: Counters): [number, number, number] => [globalRequests(k), k.global_sectors ?? 0, k.global_ideal_sectors ?? 0];
const ofShared = (k: Counters): [number, number, number] => [k.shared_requests ?? 0, k.shared_wavefronts ?? 0, k.shared_ideal_wavefronts ?? 0];

const lanesOf = (e: Example): number => e.at.length;
/// As the judge chooses: what is wasted first, then how many lanes show it.
const heavier = (a: Example, b: Example): boolean => a.count - a.ideal > b.count - b.ideal || (a.count - a.ideal === b.count - b.ideal && lanesOf(a) > lanesOf(b));

export function lineRequests(c: CaseResult): LineRequests[] {
  const rows = new Map<string, LineRequests>();
  for (const kernel of c.kernels ?? []) {
    for (const line of kernel.lines ?? []) {
      const frame = ownFrame(line.frames);
      if (!frame) continue;
      for (const shared of [false, true]) {
        const [requests, units, ideal] = shared ? ofShared(line.counters) : ofGlobal(line.counters);
        if (requests === 0) continue;
        const fresh: LineRequests = { line: frame.line, shared, requests: 0, units: 0, ideal: 0 };
        const row = rows.get(keyOf(fresh)) ?? fresh;
        rows.set(keyOf(row), row);
        row.requests += requests;
        row.units += units;
        row.ideal += ideal;
        const example = line.examples?.find((e) => (e.space === 'shared') === shared);
        if (example && (!row.example || heavier(example, row.example))) row.example = example;
      }
    }
  }
  return [...rows.values()].sort((a, b) => waste(b) - waste(a) || b.units - a.units || a.line - b.line);
}

/// The lanes of an example with their bytes counted from a boundary, as the picture wants them.
export function pictured(e: Example): Pictured {
  const at = new Array<number>(32).fill(0);
  let next = 0;
  for (let lane = 0; lane < 32; ++lane) if ((e.lanes >>> lane) & 1) at[lane] = (e.at[next++] ?? 0) + e.phase;
  return { space: e.space, lanes: e.lanes, bytes: e.bytes, at, phase: e.phase };
}

/// Why a result has no pictures: nobody counted by line, or it is from before they were kept.
export function missing(c: CaseResult): 'lines' | 'pictures' | null {
  if (!c.kernels?.some((k) => k.lines?.length)) return 'lines';
  const rows = lineRequests(c);
  return rows.length > 0 && rows.every((row) => !row.example) ? 'pictures' : null;
}
