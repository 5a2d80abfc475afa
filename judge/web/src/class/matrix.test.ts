// Who is shown in the progress matrix, and what its columns sum up to.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cell, ProgressRow } from '../api/class';
import { chosen, columns, signs } from './matrix';

const cell = (more: Partial<Cell> = {}): Cell => ({ task: '05', attempts: 0, best_points: 0, points: 0, passed: false, medal: false, provisional: false, override: null, ...more });
const row = (id: number, name: string, total: number, cells: Cell[]): ProgressRow => ({ id, name, login: `l${id}`, total, cells });
const by = { points: 7, reason: 'late', by: 1, set_ms: 0 };

const people = [
  row(1, 'Bo', 3, [cell({ attempts: 2, points: 3 }), cell()]),
  row(2, 'ada', 10, [cell({ attempts: 1, points: 10, passed: true, medal: true, provisional: true }), cell()]),
  row(3, 'Cy', 0, [cell(), cell()]),
  row(4, 'Di 10', 7, [cell({ points: 7, override: by, provisional: true }), cell()]),
];
const names = (rows: ProgressRow[]): string[] => rows.map((r) => r.name);

test('a search finds names and logins, whatever their case', () => {
  assert.deepEqual(names(chosen(people, ' ADA', 'all', 'name')), ['ada']);
  assert.deepEqual(names(chosen(people, 'l3', 'all', 'name')), ['Cy']);
  assert.deepEqual(names(chosen(people, '', 'all', 'name')), ['ada', 'Bo', 'Cy', 'Di 10']);
  assert.deepEqual(names(chosen(people, '', 'all', 'total')), ['ada', 'Di 10', 'Bo', 'Cy']);
});

test('views: an override has answered what waited', () => {
  assert.deepEqual(names(chosen(people, '', 'waiting', 'name')), ['ada']);
  assert.deepEqual(names(chosen(people, '', 'never', 'name')), ['Cy', 'Di 10']);
  assert.deepEqual(names(chosen(people, '', 'overridden', 'name')), ['Di 10']);
});

test('columns count whoever tried, and whom a person gave points', () => {
  assert.deepEqual(columns(people, 2), [
    { passed: 1, tried: 3, mean: 20 / 3 },
    { passed: 0, tried: 0, mean: 0 },
  ]);
});

test('signs', () => {
  assert.equal(signs(cell()), '');
  assert.equal(signs(cell({ attempts: 1 })), '◐');
  assert.equal(signs(cell({ attempts: 1, passed: true, medal: true, provisional: true })), '✓★≈');
  assert.equal(signs(cell({ override: by, provisional: true })), '◐✎');
});
