import assert from 'node:assert/strict';
import { test } from 'node:test';
import { visible } from './names';

test('signs that steer a terminal or turn the order are shown', () => {
  assert.equal(visible('Zoë 王 <b>'), 'Zoë 王 <b>');
  assert.equal(visible('\u001b[31mred'), '\u241b[31mred');
  assert.equal(visible('a\u202eb'), 'a\u27e8U+202E\u27e9b');
});
