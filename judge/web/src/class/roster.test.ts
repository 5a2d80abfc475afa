// Class lists: what is read, what is refused and where, and what an import would do.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvCell, plan, readRoster } from './roster';

const at = (csv: string): string => {
  const found = readRoster(csv);
  return Array.isArray(found) ? `${found.length} lines` : `${found.kind} ${found.line}:${found.column}`;
};

test('columns in any order, quotes, line ends, a byte order mark, other columns, empty lines', () => {
  assert.deepEqual(readRoster('\ufeffname,Login,mail\r\n"Lovelace, ""Ada""",ada,x\r\n\r\n'), [{ login: 'ada', name: 'Lovelace, "Ada"', role: null, line: 2 }]);
  assert.deepEqual(readRoster('login,name,role\na,A,\nb,B,instructor'), [
    { login: 'a', name: 'A', role: 'learner', line: 2 },
    { login: 'b', name: 'B', role: 'instructor', line: 3 },
  ]);
});

test('what is wrong, and where', () => {
  assert.equal(at(''), 'empty 1:1');
  assert.equal(at('login\na'), 'column 1:1');
  assert.equal(at('login,name,login\n'), 'twiceColumn 1:12');
  assert.equal(at('login,name\na'), 'cell 2:1');
  assert.equal(at('login,name\n,A'), 'noLogin 2:1');
  assert.equal(at('login,name\na b,A'), 'badLogin 2:1');
  assert.equal(at('login,name\na\u202e,A'), 'badLogin 2:1');
  for (const login of ['ädä', 'a\u0308', '\u0410da', 'a/b', 'a\u200b']) assert.equal(at(`login,name\n${login},A`), 'badLogin 2:1');
  assert.equal(at('login,name\nA.d-a_1+x@uni.example,A'), '1 lines');
  assert.equal(at('login,name\na, '), 'noName 2:3');
  assert.equal(at('login,name\na,\u001b[31mA'), 'badName 2:3');
  assert.equal(at('login,name,role\na,A,king'), 'role 2:5');
  assert.equal(at('login,name\na,"A, b"\n\nA,B'), 'twice 4:1');
  assert.equal(at('login,name\na,"A'), 'quote 2:3');
  assert.equal(at('login,name\na,A"'), 'stray 2:4');
  assert.equal(at('login,name\na,"A"x'), 'stray 2:5');
});

test('what an import would do', () => {
  const member = (login: string, name: string, joined: boolean) => ({ id: 1, login, name, role: 'learner' as const, joined, last_seen_ms: null });
  const lines = readRoster('login,name,role\nnew,N,\nwaits,W,\nADA,Ada L,\nbo,Bo,instructor\ncy,Cy,');
  assert.ok(Array.isArray(lines));
  const acts = plan(lines, [member('waits', 'W', false), member('ada', 'Ada', true), member('bo', 'Bo', true), member('cy', 'Cy', true)]);
  assert.deepEqual(acts.map((p) => p.act), ['invite', 'relink', 'rename', 'role', 'same']);
  assert.equal(acts[2]?.was, 'Ada');
});

test('cells that a spreadsheet would compute are defused', () => {
  assert.equal(csvCell('=1+1'), `"'=1+1"`);
  assert.equal(csvCell('a "b"'), '"a ""b"""');
});
