// The pure part of the time machine, which the page of `judge trace` shares (judge/trace/viewer): a small recording, written byte by byte as
// judge/trace/README.md describes the stream, is read back and asked what was where.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lines } from '../../../trace/viewer/lines.js';
import { costOf, picture, unitsOf } from '../../../trace/viewer/memory.js';
import { accessesOf, failureOf, hasChanged, isWrittenNow, lanesIn, touchedWords, viewOf, waiting, warpsAt, watchRows } from '../../../trace/viewer/shown.js';
import { Model, type Recording } from '../../../trace/viewer/stream.js';
import { exact, short } from '../../../trace/viewer/values.js';
import { blockOf, ranges } from './words';

const kAll = 0xffffffff;
type Piece = [width: 1 | 2 | 4 | 8, value: number];

function bytes(pieces: Piece[]): number[] {
  return pieces.flatMap(([width, value]) => {
    const view = new DataView(new ArrayBuffer(8));
    view.setBigUint64(0, BigInt(value), true);
    return [...new Uint8Array(view.buffer, 0, width)];
  });
}
const float = (value: number): number => new Uint32Array(new Float32Array([value]).buffer)[0] ?? 0;

interface Step {
  warp: number;
  site: number;
  mask?: number;
  active?: number;
  values?: Piece[][];
  accesses?: Piece[][];
  words?: Piece[][];
  states?: Piece[][];
}
const list = (entries: Piece[][] = []): Piece[] => [[2, entries.length], ...entries.flat()];
const record = (s: Step): number[] =>
  bytes([[1, s.warp], [2, s.site], [4, s.mask ?? kAll], [4, s.active ?? s.mask ?? kAll], ...list(s.values), ...list(s.accesses), ...list(s.words), ...list(s.states)]);

// Two warps, 48 threads. Line 10 loads x, 11 writes m in three lanes and changes it in two, 12 stores to shared memory, 13 is a barrier; header line 7 belongs to 12.
const steps: Step[] = [
  // Register 0 = 1, 2, 3 ... would be floats: here the same 1.5 in all lanes, loaded from 4 bytes a lane, side by side.
  { warp: 0, site: 0, values: [[[2, 0], [4, kAll], [4, 0], [1, 4], [1, 0], [4, float(1.5)]]], accesses: [[[1, 4], [2, 0], [1, 4], [4, kAll], [1, 1], [8, 0], [8, 4]]] },
  { warp: 0, site: 1, mask: kAll, active: 13, values: [[[2, 0], [4, 13], [4, 4], [1, 4], [1, 2], [4, float(2)], [4, float(-0.5)], [4, float(1.5)]]] },
  { warp: 0, site: 2, mask: 1, accesses: [[[1, 1 + 8], [2, 0], [1, 4], [4, 1], [1, 0], [8, 8]]], words: [[[4, 8], [4, float(2)], [1, 0]]] },
  { warp: 0, site: 3, states: [[[1, 0], [1, 2], [1, 1]]] },
  { warp: 1, site: 0, mask: 0xffff, values: [[[2, 0], [4, 0xffff], [4, 0], [1, 4], [1, 0], [4, float(9)]]] },
  { warp: 1, site: 2, mask: 1, words: [[[4, 8], [4, float(7)], [1, 0]]] },
];
const at = (...frames: [number, number][]): { ptx: string; op: string; at: [number, number, string][] } => ({ ptx: 'p', op: 'o', at: frames.map(([file, line]) => [file, line, 'f']) });
const data: Recording = {
  version: 1, task: 't', case: { name: 'c', about: '', rows: 1, cols: 1 }, verdict: { code: 'AC', message: '' }, kernel: 'k', launch: [1, 1],
  grid: [2, 1, 1], block: [48, 1, 1], index: [1, 0, 0], window: { first: 0, kept: steps.length, truncated: false },
  files: [{ name: 'a.cu', text: '', own: true }, { name: 'common/kernel/h.cuh', text: '', own: false }],
  sites: [at([0, 10]), at([0, 11]), at([1, 7], [0, 12]), at([0, 13])],
  registers: [{ name: '%f1', type: 'f32', watch: [0] }], watches: [{ name: 'm', type: 'f32', function: 'k(int)' }],
  regions: [{ name: 'x', bytes: 128 }], shared: [{ name: 's', at: 0, bytes: 16 }], stream: Buffer.from(steps.flatMap(record)).toString('base64'),
};
const model = new Model(data);
const lines = new Lines(model, { into: true, single: false });
const m = (t: number): string[] => (watchRows(model, viewOf(model, lines, 0, t))[0]?.lanes ?? []).map((entry) => (entry ? short(entry.bits, 'f32') : ''));

test('a value is the latest at that step, whichever way one came there', () => {
  assert.deepEqual(m(0).slice(0, 4), ['1.500', '1.500', '1.500', '1.500']);
  assert.deepEqual(m(1).slice(0, 4), ['2', '1.500', '−0.50', '1.500']);
  assert.deepEqual(m(0).slice(0, 4), ['1.500', '1.500', '1.500', '1.500']);
  const view = viewOf(model, lines, 0, 1), row = watchRows(model, view)[0];
  assert.deepEqual(lanesIn(view.active), [0, 2, 3]);
  assert.deepEqual(row && lanesIn(kAll).filter((lane) => hasChanged(row, lane)), [0, 2]);
  // Lane 3 is written as it was.
  assert.equal(row?.lanes[3]?.event, 1);
  assert.equal(row?.lanes[2]?.undefined, true);
});

test('a warp that has not begun has nothing, and only lanes with a thread', () => {
  const view = viewOf(model, lines, 1, 3);
  assert.deepEqual([view.group, view.mask, view.existing], [[], 0, 0xffff]);
  assert.deepEqual(watchRows(model, view)[0]?.lanes.filter((entry) => entry !== undefined), []);
});

test('steps go by line, over headers or into them', () => {
  assert.deepEqual(lines.groups.map((g) => g.place), [[0, 10], [0, 11], [1, 7], [0, 13], [0, 10], [1, 7]]);
  assert.equal(lines.name(2), 'h.cuh:7');
  assert.deepEqual(new Lines(model, { into: false, single: false }).groups[2]?.place, [0, 12]);
  assert.equal(lines.neighbour(0, 3, 1, false), undefined);
  assert.equal(lines.neighbour(0, 3, 1, true)?.warp, 1);
  assert.equal(lines.neighbour(0, 0, -1, false), undefined);
  assert.equal(lines.last(1, false)?.first, 5);
});

test('a word of shared memory tells its last writer at that step', () => {
  assert.equal(model.wordAt(8, 1), undefined);
  const first = model.wordAt(8, 3), later = model.wordAt(8, 5);
  assert.deepEqual([first?.warp, first?.lane, exact(first?.value ?? 0, 'f32')], [0, 0, '2.00000000  0x40000000']);
  assert.deepEqual([later?.warp, later?.event], [1, 5]);
  const view = viewOf(model, lines, 0, 2);
  assert.deepEqual([...touchedWords(model, view).touched], [8]);
  assert.equal(first && isWrittenNow(model, first, view), true);
  assert.equal(first && isWrittenNow(model, first, viewOf(model, lines, 0, 3)), false);
});

test('who waits at which barrier', () => {
  assert.deepEqual(waiting(warpsAt(model, 2)), { alive: 2, barriers: [] });
  assert.deepEqual(waiting(warpsAt(model, 3)), { alive: 2, barriers: [{ barrier: 1, warps: [0] }] });
});

test('an access has its sectors, and the lanes of each', () => {
  const [load] = accessesOf(model, viewOf(model, lines, 0, 0));
  assert.equal(load?.name, 'x');
  assert.deepEqual(load && costOf(load.access), { unit: 'sector', count: 4, least: 4 });
  assert.deepEqual(load && unitsOf(load.access).map((unit) => [unit.at, ranges(unit.lanes)]), [[0, '0–7'], [32, '8–15'], [64, '16–23'], [96, '24–31']]);
  const scattered = load && { ...load.access, at: load.access.at.map((_, lane) => 128 * lane) };
  assert.deepEqual(scattered && costOf(scattered), { unit: 'sector', count: 32, least: 4 });
  assert.equal(scattered && picture(scattered).match(/class="sector"/g)?.length, 32);
  // A policy without unsafe-inline drops style attributes.
  assert.doesNotMatch(load ? picture(load.access) : 'style=', /style=/);
});

test('a failure says whether it is in this block', () => {
  const fault = { kind: 'race', message: 'two write', block: { x: 0, y: 0, z: 0 }, frames: [{ line: 3 }, { line: 12, number: 0 }] };
  assert.equal(failureOf(data), undefined);
  const failure = failureOf({ ...data, fault });
  assert.deepEqual([failure?.here, failure?.file, failure?.line], [false, 0, 12]);
});

test('lanes as runs, blocks as typed', () => {
  assert.equal(ranges([0, 1, 2, 5, 30, 31]), '0–2, 5, 30–31');
  assert.equal(ranges([]), '');
  assert.deepEqual(['', ' 7 ', '1,2, 0', '1,2', 'x', '-1', '1e3'].map(blockOf), [undefined, 7, [1, 2, 0], null, null, null, null]);
});
