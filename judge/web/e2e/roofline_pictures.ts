// The picture of the roofline, behind the two runs of memory_pictures.ts.
import type { Page } from 'playwright-core';

export async function takeRoofline(page: Page, take: (name: string) => Promise<void>): Promise<void> {
  await page.getByRole('tab', { name: 'Runs' }).click();
  await page.locator('.plot canvas').waitFor();
  await page.getByRole('slider', { name: 'Runs under the roofs' }).focus();
  await page.locator('#roofline-heading').evaluate((heading) => heading.scrollIntoView({ block: 'start' }));
  await take('roofline');
}
