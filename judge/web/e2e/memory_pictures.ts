// The pictures of what the memory saw: a request of a warp, and two runs compared.
import type { Page } from 'playwright-core';
import { kThreadARow, kWarpARow } from './kernels';
import type { Served } from './serve';
import { openTask, runAll } from './steps';

/// Runs row-softmax as it is written, with counts per line.
async function runCounted(page: Page, server: Served, text: string): Promise<void> {
  server.write('row-softmax', text, 'kernel.cu');
  await openTask(page, server.url, 'row-softmax');
  await page.getByLabel('count per line').check();
  await runAll(page);
}

/// row-softmax written by a thread a row, then by a warp a row.
export async function runBoth(page: Page, server: Served): Promise<void> {
  for (const text of [kThreadARow, kWarpARow]) await runCounted(page, server, text);
}

export async function takeMemory(page: Page, server: Served, take: (name: string) => Promise<void>): Promise<void> {
  await runCounted(page, server, kThreadARow);
  await page.getByRole('tab', { name: 'Memory' }).click();
  await page.getByLabel('Case').selectOption('heads');
  await page.locator('figure[data-picture]').waitFor();
  const top = (selector: string): Promise<void> => page.locator(selector).evaluate((box) => box.scrollIntoView({ block: 'start' }));
  await top('#picture-heading');
  await take('warp');
  await runCounted(page, server, kWarpARow);
  await page.getByRole('tab', { name: 'Memory' }).click();
  await page.getByLabel('Case').selectOption('heads');
  await page.getByLabel('Compare with').selectOption({ index: 2 });
  await page.locator('[data-side="before"] svg').waitFor();
  await top('#compare-heading');
  await take('compare');
}
