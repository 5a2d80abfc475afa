// What counts as better and as worse, and what cannot be told.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CaseResult, Counters, Example } from '../api/result';
import { differences, type Change } from './compare';
import { lineRequests, missing, pictured } from './requests';

const result = (passes: CaseResult['passes'], counters: Counters, kernels: CaseResult['kernels'] = []): CaseResult =>
  ({ name: 'plain', passes, counters, kernels, remarks: [], notes: [] }) as unknown as CaseResult;
const loads = (requests: number, sectors: number, bytes: number): Counters => ({ global_load_requests: requests, global_load_sectors: sectors, global_load_bytes: bytes, global_sectors: sectors, global_ideal_sectors: bytes / 32 });
const changes = (before: CaseResult, now: CaseResult): Record<string, Change> =>
  Object.fromEntries(differences(before, now).map((d) => ['tensor' in d.what ? `${d.what.kind} ${d.what.tensor}` : d.what.kind, d.change]));

test('less is better, equal is the same, and what neither run has is left out', () => {
  const before = result([{ tensor: 'x', read: 3, write: 0 }, { tensor: 'y', read: 0, write: 1 }], loads(10, 320, 1280));
  const now = result([{ tensor: 'x', read: 1, write: 0 }, { tensor: 'y', read: 0, write: 1.5 }], loads(10, 40, 1280));
  assert.deepEqual(changes(before, now), { 'read x': 'better', 'write y': 'worse', loads: 'better', waste: 'better', sectors: 'better' });
  assert.equal(changes(now, now)['read x'], 'same');
});

test('requests of another width are not judged by their sectors', () => {
  // Four floats a lane: 16 sectors a request instead of 4, and a quarter of the requests.
  const told = changes(result([], loads(40, 160, 5120)), result([], loads(10, 160, 5120)));
  assert.equal(told.loads, 'other');
  assert.equal(told.waste, 'same');
});

const example = (count: number, ideal: number, at: number[], lanes: number, space: Example['space'] = 'global'): Example =>
  ({ space, reads: true, writes: false, atomic: false, tensor: 'x', bytes: 4, lanes, at, phase: 8, count, ideal });
const line = (n: number, counters: Counters, examples?: Example[]) => ({ frames: [{ file: 'work/a.cu', line: n, column: 1, function: 'k' }], counters, ...(examples ? { examples } : {}) });
const kernel = (lines: ReturnType<typeof line>[]) => [{ kernel: 'k', grid: [1, 1, 1], block: [32, 1, 1], launches: 1, counters: {}, lines }] as unknown as CaseResult['kernels'];

test('lines come by what they waste; of two kernels the heavier request stands', () => {
  const counters = (sectors: number): Counters => ({ global_load_requests: 2, global_sectors: sectors, global_ideal_sectors: 8 });
  const c = result([], {}, [...(kernel([line(4, counters(8), [example(4, 4, [0], 1)]), line(9, counters(20), [example(5, 4, [0], 1)])]) ?? []), ...(kernel([line(9, counters(60), [example(30, 4, [4], 1)])]) ?? [])]);
  const rows = lineRequests(c);
  assert.deepEqual(rows.map((r) => [r.line, r.requests, r.units, r.ideal, r.example?.count]), [[9, 4, 80, 16, 30], [4, 2, 8, 8, 4]]);
});

test('why there is no picture', () => {
  const counters: Counters = { global_load_requests: 1, global_sectors: 4, global_ideal_sectors: 4 };
  assert.equal(missing(result([], {})), 'lines');
  assert.equal(missing(result([], {}, kernel([line(1, counters)]))), 'pictures');
  assert.equal(missing(result([], {}, kernel([line(1, counters, [example(4, 4, [0], 1)])]))), null);
  assert.equal(missing(result([], {}, kernel([line(1, {})]))), null); // nothing to draw, and nothing missing
});

test('a picture counts from the boundary, and only lanes that take part have a place', () => {
  const drawn = pictured(example(2, 1, [-4, 24], 0b1010));
  assert.deepEqual([drawn.at[1], drawn.at[3], drawn.phase], [4, 32, 8]);
});
