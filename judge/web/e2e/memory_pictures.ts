// The pictures of what the memory saw: a request of a warp, and two runs compared.
import type { Page } from 'playwright-core';
import { kThreadARow, kWarpARow } from './kernels';
import type { Served } from './serve';
import { openTask, runAll } from './steps';

/// row-softmax written by a thread a row, then by a warp a row, each run with counts per line.
export async function runBoth(page: Page, server: Served): Promise<void> {
  for (const text of [kThreadARow, kWarpARow]) {
    server.write('row-softmax', text, 'kernel.cu');
    await openTask(page, server.url, 'row-softmax');
    await page.getByLabel('count per line').check();
    await runAll(page);
  }
}

export async function takeMemory(page: Page, server: Served, take: (name: string) => Promise<void>): Promise<void> {
  server.write('row-softmax', kThreadARow, 'kernel.cu');
  await openTask(page, server.url, 'row-softmax');
  await page.getByLabel('count per line').check();
  await runAll(page);
  await page.getByRole('tab', { name: 'Memory' }).click();
  await page.getByLabel('Case').selectOption('heads');
  await page.locator('figure[data-picture]').waitFor();
  const top = (selector: string): Promise<void> => page.locator(selector).evaluate((box) => box.scrollIntoView({ block: 'start' }));
  await top('#picture-heading');
  await take('warp');
  await runBoth(page, server);
  await page.getByRole('tab', { name: 'Memory' }).click();
  await page.getByLabel('Case').selectOption('heads');
  await page.getByLabel('Compare with').selectOption({ index: 2 });
  await page.locator('[data-side="before"] svg').waitFor();
  await top('#compare-heading');
  await take('compare');
}
