// KaTeX with its stylesheet, in a chunk of their own.
import katex from 'katex';
import 'katex/dist/katex.min.css';

/// Replaces the TeX in an element by the formula; a formula that KaTeX does not read stays as it is written.
export function show(element: HTMLElement): void {
  if (element.dataset.shown) return;
  const tex = element.textContent ?? '';
  element.dataset.shown = 'yes';
  katex.render(tex, element, { displayMode: element.tagName === 'DIV', throwOnError: false, output: 'htmlAndMathml', strict: false, trust: false });
}
