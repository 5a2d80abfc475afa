// Puts rendered text into an element and makes formulas and code of it what they are. KaTeX is loaded when the first formula comes, and
// sets its styles through the DOM, which the content security policy allows.
import type { Action } from 'svelte/action';
import { liven } from './figures';
import { idle } from './idle';

let katex: Promise<typeof import('./formulas')> | undefined;
let code: Promise<typeof import('../editor/static_code')> | undefined;

/// A heading of a table that is nothing but a formula: table headings are read out from text, not from MathML.
function heading(formula: HTMLElement, tex: string): void {
  formula.setAttribute('aria-hidden', 'true');
  const spoken = document.createElement('span');
  spoken.className = 'sr';
  spoken.textContent = tex.replace(/[\\{}]/g, '');
  formula.after(spoken);
}

// Formulas and colours come when the page can be used already, and a few at a time: a key that is pressed meanwhile does not wait for all.
const kSlice = 8; // ms

async function inSlices<T>(all: T[], each: (one: T) => void, pause: () => void): Promise<void> {
  let begin = performance.now();
  for (const one of all) {
    if (performance.now() - begin > kSlice) {
      pause();
      await idle();
      begin = performance.now();
    }
    each(one);
  }
}

/// `pause`: before others get their turn.
async function finish(node: HTMLElement, pause: () => void): Promise<void> {
  // A corner of a table that heads nothing is no heading.
  for (const head of node.querySelectorAll('th')) if (head.textContent === '') head.replaceWith(document.createElement('td'));
  const formulas = [...node.querySelectorAll<HTMLElement>('.math')];
  if (formulas.length > 0) {
    await idle();
    katex ??= import('./formulas');
    const { show } = await katex;
    await inSlices(formulas, (formula) => {
      const tex = formula.textContent ?? '';
      show(formula);
      if (formula.parentElement?.tagName === 'TH' && formula.parentElement.childNodes.length === 1) heading(formula, tex);
    }, pause);
  }
  const blocks = [...node.querySelectorAll<HTMLElement>('pre > code[class*="language-"]')];
  if (blocks.length > 0) {
    code ??= import('../editor/static_code');
    const { coloured } = await code;
    await inSlices(blocks, (block) => block.replaceChildren(coloured(block.textContent ?? '')), pause);
  }
}

/// What scrolls sideways can be reached by Tab, and only while it does.
const reachable = (elements: Iterable<Element>): void => {
  for (const element of elements) {
    if (element.scrollWidth > element.clientWidth + 1) element.setAttribute('tabindex', '0');
    else element.removeAttribute('tabindex');
  }
};

export const dress: Action<HTMLElement, string> = (node, html) => {
  const measure = (): void => reachable(node.querySelectorAll('table, pre, div.math'));
  const size = new ResizeObserver(measure);
  size.observe(node);
  let down = (): void => {};
  const show = (text: string): void => {
    down();
    node.innerHTML = text;
    down = liven(node);
    void finish(node, measure).then(measure);
  };
  show(html);
  return { update: show, destroy: () => (down(), size.disconnect()) };
};
