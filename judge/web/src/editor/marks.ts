// What a run says about single lines: a sign in the gutter, a wavy line under the text, the words on hover. The same words stand in the
// verdict and, for the line of the cursor, below the editor: hovering is never the only way.
import { RangeSet, StateEffect, StateField, type Extension } from '@codemirror/state';
import { Decoration, EditorView, GutterMarker, gutter, hoverTooltip } from '@codemirror/view';
import { docLine } from './blanks';

export interface Mark {
  line: number; ///< of the file
  severity: 'error' | 'warning';
  text: string;
}

class Sign extends GutterMarker {
  constructor(readonly severity: Mark['severity'], readonly text: string) {
    super();
  }
  override eq(other: GutterMarker): boolean {
    return other instanceof Sign && other.text === this.text;
  }
  override toDOM(): Node {
    const sign = document.createElement('span');
    sign.className = `cm-mark cm-mark-${this.severity}`;
    sign.textContent = this.severity === 'error' ? '✗' : '!';
    sign.title = this.text;
    return sign;
  }
}

const setMarks = StateEffect.define<RangeSet<Sign>>();

const field = StateField.define<RangeSet<Sign>>({
  create: () => RangeSet.empty,
  update(marks, transaction) {
    let out = marks.map(transaction.changes);
    for (const effect of transaction.effects) if (effect.is(setMarks)) out = effect.value;
    return out;
  },
  provide: (self) =>
    EditorView.decorations.from(self, (marks) => {
      const lines: number[] = [];
      for (const at = marks.iter(); at.value; at.next()) lines.push(at.from);
      return Decoration.set(lines.map((from) => Decoration.line({ class: 'cm-marked' }).range(from)));
    }),
});

/// What is said about the line at a position, or nothing.
export function markText(view: EditorView, at: number): string {
  const line = view.state.doc.lineAt(at);
  let text = '';
  view.state.field(field).between(line.from, line.from, (_from, _to, sign) => {
    text = sign.text;
  });
  return text;
}

export function showMarks(view: EditorView, marks: Mark[]): void {
  const lines = new Map<number, { severity: Mark['severity']; texts: Set<string> }>();
  for (const mark of marks) {
    const at = docLine(view.state, mark.line);
    const known = lines.get(at) ?? { severity: mark.severity, texts: new Set<string>() };
    if (mark.severity === 'error') known.severity = 'error';
    lines.set(at, { ...known, texts: known.texts.add(mark.text) });
  }
  const ranges = [...lines].sort(([a], [b]) => a - b);
  const set = RangeSet.of(ranges.map(([n, m]) => new Sign(m.severity, [...m.texts].join('\n')).range(view.state.doc.line(n).from)));
  view.dispatch({ effects: setMarks.of(set) });
}

export const marks: Extension = [
  field,
  gutter({ class: 'cm-marks', markers: (view) => view.state.field(field) }),
  hoverTooltip((view, at) => {
    const text = markText(view, at);
    if (text === '') return null;
    const line = view.state.doc.lineAt(at);
    return {
      pos: line.from,
      end: line.to,
      above: true,
      create: () => {
        const dom = document.createElement('div');
        dom.className = 'cm-note';
        dom.textContent = text;
        return { dom };
      },
    };
  }),
];
