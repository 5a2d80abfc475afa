// The progress matrix without its view: who is shown, in which order, what the columns sum up to, and what one cell says.
import type { Cell, ProgressRow } from '../api/class';

export type View = 'all' | 'waiting' | 'never' | 'overridden';
export const kViews: View[] = ['all', 'waiting', 'never', 'overridden'];
export type Order = 'name' | 'total';

const kFits: Record<View, (row: ProgressRow) => boolean> = {
  all: () => true,
  waiting: (row) => row.cells.some((c) => c.provisional && !c.override),
  never: (row) => row.cells.every((c) => c.attempts === 0),
  overridden: (row) => row.cells.some((c) => c.override !== null),
};

/// The people that a search finds, by name or by total, the highest first.
export function chosen(people: ProgressRow[], find: string, view: View, order: Order): ProgressRow[] {
  const wanted = find.trim().toLocaleLowerCase();
  const found = people.filter((p) => kFits[view](p) && (wanted === '' || p.name.toLocaleLowerCase().includes(wanted) || p.login.toLocaleLowerCase().includes(wanted)));
  const byName = new Intl.Collator(undefined, { numeric: true });
  const names = (a: ProgressRow, b: ProgressRow): number => byName.compare(a.name, b.name) || byName.compare(a.login, b.login);
  return found.sort(order === 'name' ? names : (a, b) => b.total - a.total || names(a, b));
}

export interface Column {
  passed: number;
  tried: number;
  mean: number; ///< of the points that count, over whoever tried; 0 where nobody did
}

export function columns(people: ProgressRow[], tasks: number): Column[] {
  return Array.from({ length: tasks }, (_, at) => {
    let passed = 0, tried = 0, sum = 0;
    for (const { cells } of people) {
      const cell = cells[at];
      if (!cell || isEmpty(cell)) continue;
      tried += 1;
      sum += cell.points;
      if (cell.passed) passed += 1;
    }
    return { passed, tried, mean: tried === 0 ? 0 : sum / tried };
  });
}

/// Neither tried nor judged by a person.
export const isEmpty = (cell: Cell): boolean => cell.attempts === 0 && !cell.override;

export const kSigns = { passed: '✓', tried: '◐', never: '·', medal: '★', provisional: '≈', override: '✎' };

/// The signs behind the points: what the words of `spoken` say.
export function signs(cell: Cell): string {
  if (isEmpty(cell)) return '';
  return (
    (cell.passed ? kSigns.passed : kSigns.tried) +
    (cell.medal ? kSigns.medal : '') +
    (cell.override ? kSigns.override : cell.provisional ? kSigns.provisional : '')
  );
}
