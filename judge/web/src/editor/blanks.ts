// The blanks of a lesson's file inside the editor. Everything outside them is visible and locked.
//
// The server says where the blanks are. One that is still empty has no line of its own in the file, so there would be no place to type: the
// editor gives it a line with the indentation of its marker. That line is not in the file until something stands on it; fileLine() and
// docLine() allow for it, because verdicts speak of lines of the file.
import { EditorState, StateField, type Extension, type Transaction } from '@codemirror/state';
import type { Region } from '../api/file';

export interface BlankRange {
  name: string;
  from: number; ///< first place of it
  to: number; ///< end of its last line, or of it inside a line
  lines: boolean; ///< whole lines, else a piece of one
  padding: string; ///< what the line that is not in the file holds
}

/// The text for the editor, a line in each empty blank, and where its blanks are.
export function padded(text: string, regions: Region[]): { doc: string; ranges: BlankRange[] } {
  let doc = '', at = 0;
  const ranges: BlankRange[] = [];
  for (const region of [...regions].sort((a, b) => a.from - b.from)) {
    doc += text.slice(at, region.from);
    at = region.from;
    const empty = region.lines && region.to_line < region.from_line;
    if (empty) {
      const marker = doc.slice(doc.lastIndexOf('\n', doc.length - 2) + 1);
      const padding = /^[ \t]*/.exec(marker)?.[0] ?? '';
      ranges.push({ name: region.blank, from: doc.length, to: doc.length + padding.length, lines: true, padding });
      doc += `${padding}\n`;
      continue;
    }
    ranges.push({ name: region.blank, from: doc.length, to: doc.length + region.to - region.from, lines: region.lines, padding: '' });
    doc += text.slice(at, region.to);
    at = region.to;
  }
  return { doc: doc + text.slice(at), ranges };
}

/// The ranges, moved along with every change.
export const blanks = StateField.define<BlankRange[]>({
  create: () => [],
  update(ranges, transaction) {
    if (!transaction.docChanged) return ranges;
    return ranges.map((r) => ({ ...r, from: transaction.changes.mapPos(r.from, -1), to: transaction.changes.mapPos(r.to, 1) }));
  },
});

/// Whether the blank has no line in the file: nothing but what it was padded with.
function isPadding(state: EditorState, r: BlankRange): boolean {
  const text = state.sliceDoc(r.from, r.to);
  return r.lines && (text === r.padding || text === '');
}

/// The text of each blank as it goes into the file.
export function blankTexts(state: EditorState): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const r of state.field(blanks)) {
    const text = state.sliceDoc(r.from, r.to);
    texts[r.name] = isPadding(state, r) ? '' : text;
  }
  return texts;
}

/// The line of the file that a line of the editor is, or null for a line that is not in the file yet.
export function fileLine(state: EditorState, line: number): number | null {
  let before = 0;
  for (const r of state.field(blanks, false) ?? []) {
    const at = state.doc.lineAt(r.from).number;
    if (!isPadding(state, r) || at > line) continue;
    if (at === line) return null;
    before += 1;
  }
  return line - before;
}

/// The line of the editor for a line of the file; within the text.
export function docLine(state: EditorState, line: number): number {
  let n = line;
  for (const r of state.field(blanks, false) ?? []) if (isPadding(state, r) && state.doc.lineAt(r.from).number <= n) n += 1;
  return Math.min(Math.max(n, 1), state.doc.lines);
}

/// The blank that a position lies in.
export const blankAt = (state: EditorState, at: number): BlankRange | undefined =>
  (state.field(blanks, false) ?? []).find((r) => r.from <= at && at <= r.to);

/// Locked everywhere but in the blanks; `refused` is called when somebody types elsewhere.
export function lockOutside(ranges: BlankRange[], refused: () => void): Extension {
  const locked = (transaction: Transaction): readonly number[] => {
    const protectedRanges: number[] = [-1];
    for (const r of transaction.startState.field(blanks)) protectedRanges.push(r.from, r.to);
    protectedRanges.push(transaction.startState.doc.length + 1);
    return protectedRanges;
  };
  return [
    blanks.init(() => ranges),
    EditorState.changeFilter.of((transaction) => {
      if (!transaction.docChanged) return true;
      let outside = false;
      transaction.changes.iterChangedRanges((from, to) => {
        if (!transaction.startState.field(blanks).some((r) => r.from <= from && to <= r.to)) outside = true;
      });
      if (!outside) return true;
      refused();
      return locked(transaction);
    }),
  ];
}
