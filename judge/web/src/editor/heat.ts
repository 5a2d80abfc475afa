// Counts per line in the margin: the number, and a bar whose length is its share of the largest.
import { RangeSet, StateEffect, StateField, type Extension } from '@codemirror/state';
import { GutterMarker, gutter, type EditorView } from '@codemirror/view';
import { docLine } from './blanks';

export interface LineCount {
  line: number; ///< of the file
  text: string;
  share: number; ///< of the largest, 0 to 1
}

class Cell extends GutterMarker {
  constructor(readonly text: string, readonly share: number) {
    super();
  }
  override eq(other: GutterMarker): boolean {
    return other instanceof Cell && other.text === this.text && other.share === this.share;
  }
  override toDOM(): Node {
    const cell = document.createElement('span');
    cell.className = 'cm-heat-cell';
    cell.textContent = this.text;
    cell.style.setProperty('--share', `${Math.round(this.share * 100)}%`);
    return cell;
  }
}

const setHeat = StateEffect.define<RangeSet<Cell>>();

const field = StateField.define<RangeSet<Cell>>({
  create: () => RangeSet.empty,
  update(cells, transaction) {
    let out = cells.map(transaction.changes);
    for (const effect of transaction.effects) if (effect.is(setHeat)) out = effect.value;
    return out;
  },
});

export function showHeat(view: EditorView, counts: LineCount[]): void {
  const cells = new Map(counts.map((c) => [docLine(view.state, c.line), new Cell(c.text, c.share)]));
  const sorted = [...cells].sort(([a], [b]) => a - b);
  view.dispatch({ effects: setHeat.of(RangeSet.of(sorted.map(([n, cell]) => cell.range(view.state.doc.line(n).from)))) });
}

/// The margin is there only while it has something to say.
export const heat: Extension = [
  field,
  gutter({
    class: 'cm-heat',
    markers: (view) => view.state.field(field),
    renderEmptyElements: false,
  }),
];
