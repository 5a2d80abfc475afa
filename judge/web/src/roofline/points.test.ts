// The bounds of an attempt, worked out by hand for a device of 600 G instructions and 50 G sectors a second.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Attempt, Roofline } from '../api/attempts';
import { pointsOf, ridge, roofAt, time } from './points';

const roofline: Roofline = { device: 'sm_80', like: 'A100', warp_instructions_per_second: 600e9, sectors_per_second: 50e9, case: 'long', least_sectors: 1000 };
const attempt = (id: number, counts: Attempt['counts'], name: string | null = 'long'): Attempt =>
  ({ id, started_ms: 100 - id, finished_ms: 1, verdict: 'AC', points: 1, passed: true, medal: false, case: name, passes: [], counts }) as Attempt;

test('the roof rises to the ridge and is level behind it', () => {
  assert.equal(ridge(roofline), 12);
  assert.equal(roofAt(roofline, 3), 150e9);
  assert.equal(roofAt(roofline, 12), 600e9);
  assert.equal(roofAt(roofline, 100), 600e9);
});

test('an attempt stands between every sector asked for and every sector once', () => {
  const [point] = pointsOf([attempt(1, { warp_instructions: 24_000, sectors: 8000, least_sectors: null })], roofline);
  assert.ok(point);
  assert.deepEqual([point.uncached.intensity, point.uncached.rate, point.uncached.limit], [3, 150e9, 'memory']);
  assert.deepEqual([point.once.intensity, point.once.rate, point.once.limit], [24, 600e9, 'instructions']);
  assert.equal(time(point.uncached.seconds), '160 ns');
  assert.equal(time(point.once.seconds), '40.0 ns');
  assert.equal(point.ownLeast, false);
});

test('counts per line tell more than the shapes; the least is never more than was asked for', () => {
  const points = pointsOf([attempt(1, { warp_instructions: 100, sectors: 4000, least_sectors: 2000 }), attempt(2, { warp_instructions: 100, sectors: 500, least_sectors: null })], roofline);
  assert.deepEqual(points.map((p) => [p.id, p.number, p.once.sectors, p.ownLeast]), [[2, 1, 500, false], [1, 2, 2000, true]]);
});

test('what counted nothing, or another case, has no place', () => {
  const counted = { warp_instructions: 10, sectors: 10, least_sectors: null };
  assert.deepEqual(pointsOf([attempt(1, null), attempt(2, counted, 'other'), attempt(3, { ...counted, sectors: 0 })], roofline), []);
});
