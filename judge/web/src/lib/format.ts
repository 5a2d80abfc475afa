// Numbers as people read them.
import type { Counters, Dim3, Value } from '../api/result';

/// 49152 -> 49,152
export const count = (n: number): string => n.toLocaleString('en-GB');

/// At most six significant digits; the words nan and inf as they are.
export function value(v: Value): string {
  if (typeof v === 'string') return v;
  if (Number.isInteger(v) && Math.abs(v) < 1e9) return String(v);
  return String(Number(v.toPrecision(6)));
}

export const points = (n: number): string => String(Number(n.toFixed(2)));
export const seconds = (s: number): string => s.toFixed(s < 10 ? 2 : 1);
export const dim = (d: Dim3): string => (d[2] === 1 ? (d[1] === 1 ? String(d[0]) : `${d[0]} × ${d[1]}`) : d.join(' × '));
export const place = (d: Dim3): string => `(${d.join(', ')})`;

/// A moment as people of that language write it.
export const moment = (ms: number, lang: string): string => new Date(ms).toLocaleString(lang === 'zh' ? 'zh-CN' : 'en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/// Short enough for a margin: 12.8M.
export function short(n: number): string {
  if (!Number.isInteger(n)) return n.toFixed(2);
  if (n < 10_000) return String(n);
  if (n < 1_000_000) return `${(n / 1000).toFixed(n < 100_000 ? 1 : 0)}k`;
  return `${(n / 1_000_000).toFixed(n < 100_000_000 ? 1 : 0)}M`;
}

export function bytes(n: number): string {
  if (n < 10_000) return `${n} B`;
  return n < 1_000_000 ? `${(n / 1000).toFixed(1)} kB` : `${(n / 1_000_000).toFixed(2)} MB`;
}

export const globalRequests = (c: Counters): number =>
  (c.global_load_requests ?? 0) + (c.global_store_requests ?? 0) + (c.global_atomic_requests ?? 0) + (c.global_reduction_requests ?? 0);
