// A class list as CSV (RFC 4180), read here only to say beforehand what an import would do. The server reads it again and has the last word;
// the rules are those of judge/classroom/roster.hpp.
import type { Member } from '../api/class';
import type { Role } from '../api/session';
import { visible } from '../lib/names';

export interface Line {
  login: string;
  name: string;
  role: Role | null; ///< null: the list does not say
  line: number;
}

export type FaultKind = 'empty' | 'column' | 'twiceColumn' | 'cell' | 'noLogin' | 'badLogin' | 'noName' | 'badName' | 'role' | 'twice' | 'quote' | 'stray';

export interface Fault {
  kind: FaultKind;
  about: string[];
  line: number;
  column: number; ///< in characters, from 1
}

interface Field {
  text: string;
  line: number;
  column: number;
}

const fault = (kind: FaultKind, at: { line: number; column: number }, ...about: string[]): Fault => ({ kind, about, line: at.line, column: at.column });
const isFault = (value: unknown): value is Fault => typeof value === 'object' && value !== null && 'kind' in value;

/// Records of fields; empty lines are none.
function records(csv: string): Field[][] | Fault {
  const text = [...csv.replace(/^\ufeff/, '')];
  const out: Field[][] = [];
  let at = 0, line = 1, column = 1;
  const step = (): string => {
    const sign = text[at++] ?? '';
    const ends = sign === '\n' || (sign === '\r' && text[at] !== '\n');
    if (ends) line += 1;
    column = ends ? 1 : column + 1;
    return sign;
  };
  const isEnd = (sign: string | undefined): boolean => sign === undefined || sign === ',' || sign === '\n' || sign === '\r';
  let record: Field[] = [];
  while (at < text.length || record.length > 0) {
    const begin = { line, column };
    let cell = '';
    if (text[at] === '"') {
      step();
      for (;;) {
        if (at >= text.length) return fault('quote', begin);
        if (text[at] !== '"') cell += step();
        else if (text[at + 1] === '"') {
          step();
          cell += step();
        } else break;
      }
      step();
      if (!isEnd(text[at])) return fault('stray', { line, column: column - 1 });
    } else {
      while (!isEnd(text[at])) {
        if (text[at] === '"') return fault('stray', { line, column });
        cell += step();
      }
    }
    record.push({ ...begin, text: cell });
    if (text[at] === ',') {
      step();
      continue;
    }
    if (text[at] === '\r') step();
    if (text[at] === '\n') step();
    if (record.length > 1 || record[0]?.text !== '') out.push(record);
    record = [];
  }
  return out;
}

const kColumns = ['login', 'name', 'role'];
const isRole = (text: string): text is Role => text === 'learner' || text === 'instructor';

/// The lines of a list, or what is wrong with it first.
export function readRoster(csv: string): Line[] | Fault {
  const all = records(csv);
  if (isFault(all)) return all;
  const [header, ...rest] = all;
  if (!header) return fault('empty', { line: 1, column: 1 });
  const places: Record<string, number> = {};
  for (const [index, field] of header.entries()) {
    const name = field.text.trim().toLowerCase();
    if (!kColumns.includes(name)) continue;
    if (places[name] !== undefined) return fault('twiceColumn', field, name);
    places[name] = index;
  }
  for (const name of ['login', 'name']) if (places[name] === undefined) return fault('column', header[0] ?? { line: 1, column: 1 }, name);
  const seen = new Map<string, number>();
  const lines: Line[] = [];
  for (const record of rest) {
    const first = record[0] as Field;
    const field = (name: string): Field | Fault => record[places[name] ?? -1] ?? fault('cell', record.at(-1) ?? first, name);
    const login = field('login'), name = field('name');
    if (isFault(login)) return login;
    if (isFault(name)) return name;
    const who = login.text.trim(), called = name.text.trim();
    if (who === '') return fault('noLogin', login);
    if (!/^[A-Za-z0-9._@+-]+$/.test(who)) return fault('badLogin', login, visible(who));
    if (called === '') return fault('noName', name);
    if (/\p{Cc}/u.test(called)) return fault('badName', name);
    const given = places.role === undefined ? '' : (record[places.role]?.text.trim().toLowerCase() ?? '');
    if (given !== '' && !isRole(given)) return fault('role', record[places.role ?? 0] ?? first, visible(given));
    const before = seen.get(who.toLowerCase());
    if (before !== undefined) return fault('twice', login, visible(who), String(before));
    seen.set(who.toLowerCase(), login.line);
    lines.push({ login: who, name: called, role: isRole(given) ? given : places.role === undefined ? null : 'learner', line: login.line });
  }
  return lines;
}

export type Act = 'invite' | 'relink' | 'rename' | 'role' | 'same';

export interface Planned extends Line {
  act: Act;
  was: string; ///< the name or role that is replaced
}

/// What the import of these lines would do to a class.
export function plan(lines: Line[], people: Member[]): Planned[] {
  const known = new Map(people.map((p) => [p.login.toLowerCase(), p]));
  return lines.map((line) => {
    const person = known.get(line.login.toLowerCase());
    if (!person) return { ...line, act: 'invite', was: '' };
    if (!person.joined) return { ...line, act: 'relink', was: person.name === line.name ? '' : person.name };
    if (person.name !== line.name) return { ...line, act: 'rename', was: person.name };
    if (line.role && line.role !== person.role) return { ...line, act: 'role', was: person.role };
    return { ...line, act: 'same', was: '' };
  });
}

/// A cell of a CSV file that we write: in quotes, and never a formula to a spreadsheet.
export const csvCell = (text: string): string => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replace(/"/g, '""')}"`;
