// One editor. It lives in a shadow root: there CodeMirror puts its styles into constructed style sheets, which a content security policy
// without unsafe-inline allows; in the document itself it would add <style> elements, which the policy forbids.
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language';
import { Compartment, EditorState, Prec, type Extension } from '@codemirror/state';
import { EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import type { FileChange, FileText } from '../api/file';
import { idle } from '../lib/idle';
import { blankAt, blanks, blankTexts, docLine, fileLine, lockOutside, padded } from './blanks';
import { heat } from './heat';
import { framed, look } from './look';
import { marks, markText } from './marks';

export interface EditorWishes {
  file: FileText;
  label: string;
  /// Only blanks can be changed.
  locked: boolean;
  /// Nothing can be changed: somebody else's text.
  readOnly?: boolean;
  edited(): void;
  refused(): void;
  leave(): void;
  run(): void;
  /// The words of the run about the line where the cursor is.
  atLine(text: string): void;
}

export class Editor {
  readonly view: EditorView;
  readonly #language = new Compartment();
  #cpp: Extension = [];

  constructor(host: HTMLElement, private readonly wishes: EditorWishes) {
    const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
    const state = this.#state(wishes.file);
    const first = state.field(blanks, false)?.[0];
    // The first thing in view is the place to type.
    this.view = new EditorView({
      state: first ? state.update({ selection: { anchor: first.from + first.padding.length } }).state : state,
      parent: root,
      root,
      ...(first ? { scrollTo: EditorView.scrollIntoView(first.from, { y: 'center' }) } : {}),
    });
    void this.#learn();
  }

  /// Colours and brackets come when the text can be written in already.
  async #learn(): Promise<void> {
    await idle();
    const { cpp } = await import('./language');
    this.#cpp = cpp();
    this.view.dispatch({ effects: this.#language.reconfigure(this.#cpp) });
  }

  #state(file: FileText): EditorState {
    const { wishes } = this;
    const { doc, ranges } = padded(file.text, wishes.locked ? file.regions : []);
    return EditorState.create({
      doc,
      extensions: [
        Prec.highest(
          keymap.of([
            { key: 'Escape', run: () => (wishes.leave(), true) },
            { key: 'Mod-Enter', run: () => (wishes.run(), true) },
          ]),
        ),
        wishes.readOnly ? EditorState.readOnly.of(true) : [],
        wishes.locked ? [lockOutside(ranges, wishes.refused), framed] : [],
        heat,
        marks,
        highlightSpecialChars(), // a right-to-left mark would show a line in another order than the compiler reads it
        lineNumbers({ formatNumber: (n, state) => (state.field(blanks, false) ? String(fileLine(state, Math.min(n, state.doc.lines)) ?? '·') : String(n)) }),
        history(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        bracketMatching(),
        indentOnInput(),
        indentUnit.of('  '),
        EditorState.tabSize.of(2),
        this.#language.of(this.#cpp),
        look,
        keymap.of([indentWithTab, ...defaultKeymap, ...historyKeymap]),
        EditorView.contentAttributes.of({ 'aria-label': wishes.label, tabindex: '0', spellcheck: 'false', autocorrect: 'off', autocapitalize: 'off' }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) wishes.edited();
          if (update.selectionSet || update.docChanged) wishes.atLine(markText(update.view, update.state.selection.main.head));
        }),
      ],
    });
  }

  /// The blanks of a lesson, or the whole text.
  blankTexts(): Record<string, string> {
    return blankTexts(this.view.state);
  }
  text(): string {
    return this.view.state.doc.toString();
  }

  /// Another text from disk: the cursor stays on its line. Undo does not reach back beyond it, and marks of a run go.
  replace(file: FileText): void {
    const { state } = this.view;
    const next = this.#state(file);
    if (next.doc.eq(state.doc)) return;
    const line = state.doc.lineAt(state.selection.main.head);
    const at = next.doc.line(Math.min(line.number, next.doc.lines));
    this.view.setState(next);
    this.view.dispatch({ selection: { anchor: Math.min(at.from + state.selection.main.head - line.from, at.to) }, scrollIntoView: true });
  }

  /// Texts into the blanks that are there, or another whole text; undo brings back what was.
  put(change: FileChange): void {
    const { state } = this.view;
    const changes =
      'text' in change
        ? { from: 0, to: state.doc.length, insert: change.text }
        : (state.field(blanks, false) ?? [])
            .filter((r) => change.blanks[r.name] !== undefined)
            .map((r) => ({ from: r.from, to: r.to, insert: change.blanks[r.name] || r.padding }));
    this.view.dispatch({ changes });
  }

  focus(): void {
    this.view.focus();
  }

  /// A line of the file comes into view; cursor and focus stay where they are.
  reveal(line: number): void {
    const at = this.view.state.doc.line(docLine(this.view.state, line));
    this.view.dispatch({ effects: EditorView.scrollIntoView(at.from, { y: 'center' }) });
  }

  /// The cursor goes to a line of the file and into view.
  goTo(line: number): void {
    const at = this.view.state.doc.line(docLine(this.view.state, line));
    this.view.dispatch({ selection: { anchor: at.from + (at.text.length - at.text.trimStart().length) }, effects: EditorView.scrollIntoView(at.from, { y: 'center' }) });
    this.focus();
  }

  /// The next blank after the cursor, the first after the last; null when there is none.
  nextBlank(): string | null {
    const ranges = this.view.state.field(blanks, false) ?? [];
    const head = this.view.state.selection.main.head;
    const here = blankAt(this.view.state, head);
    const inside = here && this.view.hasFocus ? ranges.indexOf(here) : -1;
    const next = inside >= 0 ? ranges[(inside + 1) % ranges.length] : (ranges.find((r) => r.from >= head) ?? ranges[0]);
    if (!next) return null;
    const waits = /^_+$/.test(this.view.state.sliceDoc(next.from, next.to));
    this.view.dispatch({ selection: { anchor: waits ? next.from : next.to, head: next.to }, effects: EditorView.scrollIntoView(next.from, { y: 'center' }) });
    this.focus();
    return next.name;
  }

  destroy(): void {
    this.view.destroy();
  }
}
