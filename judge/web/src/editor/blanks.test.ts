// Blanks in the editor: what is locked, what travels, and which line of the file a line of the editor is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EditorState } from '@codemirror/state';
import type { Region } from '../api/file';
import { blankTexts, docLine, fileLine, lockOutside, padded } from './blanks';

const kEmpty = 'int a;\n  // >>> blank one: about 1 line\n  // <<< blank one\nint b;\n';
const at = kEmpty.indexOf('  // <<<');
const kEmptyRegion: Region = { blank: 'one', from_line: 3, to_line: 2, from: at, to: at, lines: true };
const kFilled = kEmpty.replace('  // <<<', '  x = 1;\n  // <<<');
const kFilledRegion: Region = { blank: 'one', from_line: 3, to_line: 3, from: at, to: at + 8, lines: true };

function open(text: string, regions: Region[]): { state: EditorState; refusals: () => number } {
  let refused = 0;
  const { doc, ranges } = padded(text, regions);
  return { state: EditorState.create({ doc, extensions: lockOutside(ranges, () => (refused += 1)) }), refusals: () => refused };
}

test('an empty blank has a line to type on that is not in the file', () => {
  const { state } = open(kEmpty, [kEmptyRegion]);
  assert.equal(state.doc.line(3).text, '  ');
  assert.deepEqual(blankTexts(state), { one: '' });
  assert.deepEqual([1, 2, 3, 4, 5].map((n) => fileLine(state, n)), [1, 2, null, 3, 4]);
  assert.equal(docLine(state, 3), 4);
});

test('once something stands there, lines are those of the file', () => {
  const { state } = open(kEmpty, [kEmptyRegion]);
  const typed = state.update({ changes: { from: state.doc.line(3).to, insert: 'x = 1;' } }).state;
  assert.equal(typed.doc.toString(), kFilled);
  assert.deepEqual(blankTexts(typed), { one: '  x = 1;' });
  assert.equal(fileLine(typed, 4), 4);
});

test('a blank that has a text keeps it', () => {
  const { state } = open(kFilled, [kFilledRegion]);
  assert.equal(state.doc.toString(), kFilled);
  assert.deepEqual(blankTexts(state), { one: '  x = 1;' });
});

test('nothing outside changes: at the ends, across the edge, or all at once', () => {
  const { state, refusals } = open(kFilled, [kFilledRegion]);
  const length = state.doc.length;
  for (const changes of [{ from: 0, insert: 'y' }, { from: length, insert: 'y' }, { from: 3, to: 5 }, { from: at - 1, to: at }])
    assert.equal(state.update({ changes }).state.doc.toString(), kFilled);
  assert.equal(refusals(), 4);
  const all = state.update({ changes: { from: 0, to: length } }).state;
  assert.equal(all.doc.toString(), kFilled.replace('  x = 1;', ''));
});

test('a piece inside a line is a blank as well', () => {
  const text = 'float y = ____ * 2;\n';
  const { state } = open(text, [{ blank: 'p', from_line: 1, to_line: 1, from: 10, to: 14, lines: false }]);
  const typed = state.update({ changes: { from: 10, to: 14, insert: 'a + b' } }).state;
  assert.equal(typed.doc.toString(), 'float y = a + b * 2;\n');
  assert.deepEqual(blankTexts(typed), { p: 'a + b' });
  const cleared = typed.update({ changes: { from: 10, to: 15 } }).state;
  assert.equal(fileLine(cleared, 1), 1);
});
