// Accessibility of a page as axe-core sees it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  id: string;
  nodes: { target: unknown[]; failureSummary?: string }[];
}

/// WCAG 2.2 A and AA, of the page or a part of it; what is wrong, as lines.
export async function violations(page: Page, part = 'html'): Promise<string[]> {
  // Evaluated by the debugger's protocol, which the content security policy does not bind.
  await page.evaluate(axe);
  const found = (await page.evaluate(
    `axe.run('${part}', { runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] } }).then((r) => r.violations)`,
  )) as Violation[];
  return found.flatMap((v) => v.nodes.map((n) => `${v.id} at ${JSON.stringify(n.target)}: ${n.failureSummary?.split('\n').slice(1, 2).join('').trim()}`));
}
