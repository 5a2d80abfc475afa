// How the editor looks. All colours are the page's own tokens, which custom properties carry into the shadow root.
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { RangeSetBuilder, type Extension } from '@codemirror/state';
import { Decoration, EditorView, MatchDecorator, ViewPlugin, type DecorationSet, type ViewUpdate } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { blanks } from './blanks';

const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--panel)', fontSize: '13px' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--text)', padding: '6px 0' },
  '.cm-gutters': { backgroundColor: 'var(--page)', color: 'var(--quiet)', borderRight: '1px solid var(--rule)' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '26px' },
  '.cm-activeLine': { backgroundColor: 'var(--current)' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--current)', color: 'var(--text)' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': { backgroundColor: 'var(--selection)' },
  '.cm-line::selection, .cm-line ::selection': { backgroundColor: 'var(--selection)' },
  '.cm-blank': { backgroundColor: 'var(--reached)', boxShadow: 'inset 3px 0 var(--accent), inset -1px 0 var(--accent)' },
  '.cm-blank.cm-blank-first': { borderTop: '1px solid var(--accent)' },
  '.cm-blank.cm-blank-last': { borderBottom: '1px solid var(--accent)' },
  '.cm-blank.cm-activeLine': { backgroundColor: 'var(--current)' },
  '.cm-matchingBracket': { backgroundColor: 'var(--selection)', outline: '1px solid var(--rule)' },
  '.cm-cuda': { color: 'var(--accent)' },
  '.cm-marked': { textDecoration: 'underline wavy var(--bad)', textUnderlineOffset: '3px' },
  '.cm-marks': { width: '15px' },
  '.cm-mark': { display: 'block', textAlign: 'center', fontWeight: '700', color: 'var(--bad)', cursor: 'help' },
  '.cm-mark-warning': { color: 'var(--warn)' },
  '.cm-heat': { fontVariantNumeric: 'tabular-nums' },
  '.cm-heat-cell': {
    display: 'block', textAlign: 'right', padding: '0 4px', minWidth: '46px', fontSize: '11px', lineHeight: '19.5px', color: 'var(--text)',
    background: 'linear-gradient(to left, var(--heat) var(--share), transparent var(--share))',
  },
  '.cm-tooltip': { backgroundColor: 'var(--panel)', color: 'var(--text)', border: '1px solid var(--rule)', borderRadius: '6px', maxWidth: '560px' },
  '.cm-note': { padding: '6px 10px', fontFamily: 'var(--sans)', whiteSpace: 'pre-wrap' },
});

const highlight = HighlightStyle.define([
  { tag: [tags.comment, tags.lineComment, tags.blockComment], color: 'var(--quiet)' },
  { tag: [tags.keyword, tags.controlKeyword, tags.modifier, tags.typeName, tags.standard(tags.typeName)], color: 'var(--accent)' },
  { tag: [tags.string, tags.number, tags.bool, tags.character, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.processingInstruction, tags.meta], color: 'var(--meta)' },
]);

const cudaWords = new MatchDecorator({
  regexp: /\b(__(?:global|device|host|shared|constant|restrict|forceinline|launch_bounds|syncthreads|syncwarp)__|__restrict__|threadIdx|blockIdx|blockDim|gridDim|warpSize)\b/g,
  decoration: Decoration.mark({ class: 'cm-cuda' }),
});

const cuda = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = cudaWords.createDeco(view);
    }
    update(update: ViewUpdate): void {
      this.decorations = cudaWords.updateDeco(update, this.decorations);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

/// A frame around the lines of each blank: a colour, and a rule that is there without the colour.
const blankFrames = EditorView.decorations.compute([blanks, 'doc'], (state) => {
  const builder = new RangeSetBuilder<Decoration>();
  for (const r of state.field(blanks)) {
    const first = state.doc.lineAt(r.from).number, last = state.doc.lineAt(r.to).number;
    for (let n = first; n <= last; ++n) {
      const at = state.doc.line(n).from;
      builder.add(at, at, Decoration.line({ class: `cm-blank${n === first ? ' cm-blank-first' : ''}${n === last ? ' cm-blank-last' : ''}` }));
    }
  }
  return builder.finish();
});

export const look: Extension = [theme, syntaxHighlighting(highlight), cuda];
export const framed: Extension = blankFrames;
