// The picture of a figure that is stepped through, in the text of lesson 11.
import type { Page } from 'playwright-core';
import type { Served } from './serve';
import { openTask } from './steps';

export async function takeFigure(page: Page, server: Served, take: (name: string) => Promise<void>): Promise<void> {
  await openTask(page, server.url, '11-online-softmax');
  await page.locator('.katex').first().waitFor();
  const figure = page.locator('.step-through');
  await figure.getByRole('button', { name: 'Step through' }).click();
  await figure.locator('.steps').waitFor();
  const changed = figure.locator('[data-variable="m"] .changed');
  const some = async (): Promise<boolean> => {
    const n = await changed.count();
    return n > 0 && n < 32;
  };
  for (let n = 0; n < 60 && !(await some()); ++n) await page.keyboard.press('ArrowRight');
  await figure.evaluate((box) => box.scrollIntoView({ block: 'start' }));
  await take('figure');
}
