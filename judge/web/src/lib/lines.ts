// Which lines of the learner's file a result speaks of.
import type { CaseResult, Counters, Fault, Frame, Result } from '../api/result';
import type { Mark } from '../editor/marks';
import type { LineCount } from '../editor/heat';
import { globalRequests, short } from './format';

const kOurs = /(^|\/)[^/]+\.cu$/;

/// The innermost frame in the learner's file: a fault inside a header is shown at the call that led there.
export const ownFrame = (frames: Frame[]): Frame | undefined => frames.find((f) => kOurs.test(f.file) && f.line > 0);

const faultMarks = (fault: Fault, name: string): Mark[] => {
  const frame = ownFrame(fault.frames);
  if (!frame) return [];
  return [{ line: frame.line, severity: fault.severity === 'error' ? 'error' : 'warning', text: `${name}: ${fault.message}` }];
};

export function marksOf(cases: CaseResult[], result: Result | null): Mark[] {
  const marks: Mark[] = [];
  for (const c of cases) {
    if (c.fault) marks.push(...faultMarks(c.fault, c.name));
    for (const remark of c.remarks) marks.push(...faultMarks(remark, c.name));
  }
  for (const f of result?.findings ?? []) {
    if (kOurs.test(f.file) && f.line > 0) marks.push({ line: f.line, severity: f.severity === 'error' ? 'error' : 'warning', text: f.message });
  }
  return marks;
}

export type Metric = 'warp_instructions' | 'global_sectors' | 'sectors_a_request' | 'shared_wavefronts' | 'divergent_branches';
export const kMetrics: Metric[] = ['warp_instructions', 'global_sectors', 'sectors_a_request', 'shared_wavefronts', 'divergent_branches'];

function add(into: Counters, more: Counters): Counters {
  for (const [name, n] of Object.entries(more)) into[name] = (into[name] ?? 0) + n;
  return into;
}

/// What one metric says about each line of the learner's file, largest share 1; lines without it are left out.
export function lineCounts(c: CaseResult | undefined, metric: Metric): LineCount[] {
  const lines = new Map<number, Counters>();
  for (const kernel of c?.kernels ?? []) {
    for (const line of kernel.lines ?? []) {
      const frame = ownFrame(line.frames);
      if (frame) lines.set(frame.line, add(lines.get(frame.line) ?? {}, line.counters));
    }
  }
  const amount = (k: Counters): number => {
    if (metric !== 'sectors_a_request') return k[metric] ?? 0;
    const requests = globalRequests(k);
    return requests === 0 ? 0 : (k.global_sectors ?? 0) / requests;
  };
  const counts = [...lines].map(([line, k]) => ({ line, n: amount(k) })).filter((entry) => entry.n > 0);
  const most = Math.max(...counts.map((entry) => entry.n), 0);
  return counts
    .sort((a, b) => a.line - b.line)
    .map(({ line, n }) => ({ line, share: n / most, text: metric === 'sectors_a_request' ? n.toFixed(2) : short(n) }));
}
