// The line of the current step in the editor. It is added to the editor when a recording is opened, so that a page without one carries nothing
// of it, and it moves neither the cursor nor the focus: these are where the reader steps.
import { RangeSet, StateEffect, StateField, type Extension } from '@codemirror/state';
import { Decoration, EditorView, GutterMarker, gutter } from '@codemirror/view';
import { docLine } from '../editor/blanks';

const setStep = StateEffect.define<number | null>();

const field = StateField.define<number | null>({
  create: () => null,
  update(at, transaction) {
    let out = at === null ? null : transaction.changes.mapPos(at);
    for (const effect of transaction.effects) if (effect.is(setStep)) out = effect.value;
    return out;
  },
});

class Sign extends GutterMarker {
  override toDOM(): Node {
    return document.createTextNode('▶');
  }
}
const sign = new Sign();

const stepMark: Extension = [
  field,
  EditorView.decorations.compute([field, 'doc'], (state) => {
    const at = state.field(field);
    return at === null ? Decoration.none : Decoration.set([Decoration.line({ class: 'cm-step' }).range(state.doc.lineAt(at).from)]);
  }),
  gutter({
    class: 'cm-steps',
    markers: (view) => {
      const at = view.state.field(field);
      return at === null ? RangeSet.empty : RangeSet.of([sign.range(view.state.doc.lineAt(at).from)]);
    },
  }),
  EditorView.theme({
    '.cm-line.cm-step': { backgroundColor: 'var(--step)', boxShadow: 'inset 0 1px var(--gold), inset 0 -1px var(--gold)' },
    '.cm-steps': { width: '14px', color: 'var(--gold)', textAlign: 'center', fontSize: '10px' },
  }),
];

/// Marks a line of the file and brings it into view, or takes the mark away.
export function markStep(view: EditorView, line: number | null): void {
  const known = view.state.field(field, false) !== undefined;
  if (line === null && !known) return;
  const at = line === null ? null : view.state.doc.line(docLine(view.state, line)).from;
  view.dispatch({ effects: [...(known ? [] : [StateEffect.appendConfig.of(stepMark)])] });
  view.dispatch({ effects: setStep.of(at) });
  if (at === null) return;
  // Only the editor scrolls: on a narrow screen the page itself would run away from the buttons.
  const kEdge = 24;
  const { scrollDOM } = view, block = view.lineBlockAt(at);
  if (block.top < scrollDOM.scrollTop + kEdge || block.bottom > scrollDOM.scrollTop + scrollDOM.clientHeight - kEdge)
    scrollDOM.scrollTop = block.top - scrollDOM.clientHeight / 2;
}
