// Code regions of the text and the solution, coloured as in the editor, but as plain spans.
import { cppLanguage } from '@codemirror/lang-cpp';
import { highlightCode, tagHighlighter, tags } from '@lezer/highlight';

const classes = tagHighlighter([
  { tag: tags.comment, class: 'code-comment' },
  { tag: [tags.keyword, tags.controlKeyword, tags.modifier, tags.typeName], class: 'code-keyword' },
  { tag: [tags.string, tags.number, tags.bool, tags.character], class: 'code-literal' },
  { tag: [tags.processingInstruction, tags.meta], class: 'code-meta' },
]);

/// `code` as nodes for a <code> element.
export function coloured(code: string): DocumentFragment {
  const out = document.createDocumentFragment();
  highlightCode(
    code,
    cppLanguage.parser.parse(code),
    classes,
    (text, names) => {
      if (names === '') return out.append(text);
      const span = document.createElement('span');
      span.className = names;
      span.textContent = text;
      return out.append(span);
    },
    () => out.append('\n'),
  );
  return out;
}
