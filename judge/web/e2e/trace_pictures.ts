// The pictures of the time machine, taken in lesson 11.
import type { Page } from 'playwright-core';
import type { Served } from './serve';
import { openTask } from './steps';

/// The time machine where the maximum changes in some lanes, at a load, and where warps wait at the barrier.
export async function takeTrace(page: Page, server: Served, take: (name: string) => Promise<void>): Promise<void> {
  server.begin('11-online-softmax', 'solution.cu');
  await openTask(page, server.url, '11-online-softmax');
  await page.locator('.katex').first().waitFor();
  await page.getByRole('tab', { name: 'Time machine' }).click();
  await page.getByRole('button', { name: 'Record', exact: true }).click();
  const slider = page.getByRole('slider', { name: 'Position' });
  await slider.waitFor({ timeout: 60_000 });
  const loads = page.locator('figure[data-space="global"]');
  const values = page.locator('[data-variable="mine.max"] .changed');
  const some = async (): Promise<boolean> => {
    const n = await values.count();
    return n > 0 && n < 32;
  };
  for (let n = 0; n < 400 && !(await some()); ++n) await page.keyboard.press('ArrowRight');
  await take('trace');
  for (let n = 0; n < 400 && (await loads.count()) === 0; ++n) await page.keyboard.press('ArrowLeft');
  await loads.first().scrollIntoViewIfNeeded();
  await take('trace-memory');
  await page.getByLabel('all warps').check();
  const waiting = page.locator('.barrier', { hasText: '5 of 8' });
  const most = Number(await slider.getAttribute('max'));
  for (let at = Math.floor(most / 4); at < most && (await waiting.count()) === 0; at += 4) await slider.fill(String(at));
  await waiting.evaluate((line) => {
    line.scrollIntoView({ block: 'start' });
    const panel = line.closest('.tab-panel');
    if (panel) panel.scrollTop -= 115; // the bar and the heading
  });
  await take('trace-barrier');
}
