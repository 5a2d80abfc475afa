// What several tests do with a page.
import type { Page } from 'playwright-core';

export const kGood = 'const float variance = fmaxf(mean_square - mean * mean, 0.0f);\nconst float scale = rsqrtf(variance + eps);';
export const kNoClamp = 'const float scale = rsqrtf(mean_square - mean * mean + eps);';
const kRun = 60_000;

/// The editor's text, across all its lines (CodeMirror draws only those in view).
export const editorText = (page: Page): Promise<string> => page.locator('.cm-content').evaluate((content) => (content as HTMLElement).innerText);

/// A task's page with its editor and the first formula there.
export async function openTask(page: Page, url: string, id: string): Promise<void> {
  await page.goto(`${url}/tasks/${id}`);
  await page.locator('.cm-content').waitFor({ state: 'attached' });
}

/// Types into the next blank, in place of what stands there.
export async function fillBlank(page: Page, code: string): Promise<void> {
  await page.keyboard.press('Alt+b');
  await page.keyboard.type(code);
}

export const saved = (page: Page): Promise<void> => page.locator('[data-status="saved"]').waitFor({ state: 'attached' });

/// Runs with Ctrl-Enter and waits for the points.
export async function runAll(page: Page): Promise<void> {
  await page.keyboard.press('Control+Enter');
  await page.locator('[data-phase]').first().waitFor({ timeout: kRun });
  await page.locator('#score-total').waitFor({ timeout: kRun });
}

/// Presses Tab until the focus is on something that matches; the keyboard is the only way there.
export async function tabTo(page: Page, selector: string, most = 120): Promise<void> {
  for (let n = 0; n < most; ++n) {
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted) ?? false, selector)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${selector}`);
}

/// Whether the page is wider than the window.
export const overflows = (page: Page): Promise<boolean> => page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
