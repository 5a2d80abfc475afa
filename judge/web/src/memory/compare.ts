// What became better and what worse between two runs of a case. Of every figure here less is better. Sectors a request say nothing where the
// requests ask for more bytes than before (four floats a lane instead of one): then they are shown and not judged.
import type { CaseResult, Counters } from '../api/result';

export type Change = 'better' | 'worse' | 'same' | 'other';
export type Figure =
  | { kind: 'read' | 'write'; tensor: string }
  | { kind: 'loads' | 'stores' | 'waste' | 'sectors' | 'conflicts' | 'wavefronts' | 'instructions' };

export interface Difference {
  what: Figure;
  before: number;
  now: number;
  change: Change;
}

const kEqual = 0.005; // figures are shown with two digits behind the point
const kSameBytes = 0.01;

const judged = (before: number, now: number): Change =>
  Math.abs(before - now) <= kEqual * Math.max(1, Math.abs(before)) ? 'same' : now < before ? 'better' : 'worse';
const per = (n: number | undefined, of: number | undefined): number => (of ? (n ?? 0) / of : 0);

export function differences(before: CaseResult, now: CaseResult): Difference[] {
  const out: Difference[] = [];
  const add = (what: Figure, a: number, b: number, change = judged(a, b)): void => {
    if (a > 0 || b > 0) out.push({ what, before: a, now: b, change });
  };
  const tensors = [...new Set([...before.passes, ...now.passes].map((p) => p.tensor))];
  const passes = (c: CaseResult, tensor: string): { read: number; write: number } => c.passes.find((p) => p.tensor === tensor) ?? { read: 0, write: 0 };
  for (const tensor of tensors)
    for (const kind of ['read', 'write'] as const) add({ kind, tensor }, passes(before, tensor)[kind], passes(now, tensor)[kind]);
  const [a, b] = [before.counters, now.counters];
  for (const [kind, name] of [['loads', 'load'], ['stores', 'store']] as const) {
    const requests = `global_${name}_requests`, sectors = `global_${name}_sectors`, bytes = `global_${name}_bytes`;
    const wide = (k: Counters): number => per(k[bytes], k[requests]);
    const alike = Math.abs(wide(a) - wide(b)) <= kSameBytes * wide(a);
    const was = per(a[sectors], a[requests]), is = per(b[sectors], b[requests]);
    add({ kind }, was, is, judged(was, is) === 'same' || alike ? judged(was, is) : 'other');
  }
  add({ kind: 'waste' }, per(a.global_sectors, a.global_ideal_sectors), per(b.global_sectors, b.global_ideal_sectors));
  add({ kind: 'sectors' }, a.global_sectors ?? 0, b.global_sectors ?? 0);
  add({ kind: 'conflicts' }, per(a.shared_wavefronts, a.shared_ideal_wavefronts), per(b.shared_wavefronts, b.shared_ideal_wavefronts));
  add({ kind: 'wavefronts' }, a.shared_wavefronts ?? 0, b.shared_wavefronts ?? 0);
  add({ kind: 'instructions' }, a.warp_instructions ?? 0, b.warp_instructions ?? 0);
  return out;
}
