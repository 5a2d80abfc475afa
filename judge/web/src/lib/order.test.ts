// The moves of an ordering question.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { begun, dropped, placed } from './order';

test('an answer from the file comes first, the rest keeps its order', () => {
  assert.deepEqual(begun(['a', 'b', 'c', 'd'], ['c', 'a', 'x']), { chosen: ['c', 'a'], pool: ['b', 'd'] });
});

test('a step goes from the pool to a place, and from place to place', () => {
  const one = placed({ chosen: ['a', 'b'], pool: ['c'] }, 'c', 1);
  assert.deepEqual(one, { chosen: ['a', 'c', 'b'], pool: [] });
  assert.deepEqual(placed(one, 'a', 2).chosen, ['c', 'b', 'a']);
  assert.deepEqual(placed(one, 'b', -3).chosen, ['b', 'a', 'c']);
});

test('a step taken out is in the pool once', () => {
  const out = dropped({ chosen: ['a', 'b'], pool: ['c'] }, 'a');
  assert.deepEqual(out, { chosen: ['b'], pool: ['c', 'a'] });
  assert.deepEqual(dropped(out, 'a'), out);
});
