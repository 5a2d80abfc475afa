// A newcomer opens the map and brings lesson 05 to 10 of 10, with the keyboard alone.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { launch, newPage } from './browser';
import { serve, type Served } from './serve';
import { fillBlank, kGood, runAll, saved, tabTo } from './steps';

let server: Served;
let browser: Browser;
before(async () => {
  server = await serve();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.remove();
});

/// The steps of the ordering question by a few of their words, in the right order.
const kOrder = ['squares are near', 'cancels all leading digits', 'rsqrtf of a negative', 'multiplied by that one scale', 'whole row of y is NaN'];

/// E[x^2] - E[x]^2 as the question wants it: squares and sum rounded to float, the last step fused.
function fusedVariance(row: number[]): number {
  const round = Math.fround;
  let sum = 0, squares = 0;
  for (const x of row) {
    sum = round(sum + x);
    squares = round(squares + round(x * x));
  }
  const mean = round(sum / row.length);
  return round(round(squares / row.length) - mean * mean);
}

async function answerOrder(page: Page): Promise<void> {
  for (const words of kOrder) {
    const id = await page.locator('.pool li', { hasText: words }).getAttribute('data-id');
    await page.keyboard.press('Alt+q');
    await tabTo(page, `[data-move="add ${id}"]`);
    await page.keyboard.press('Enter');
  }
}

test('lesson 05 from the map to 10 of 10 by keyboard', async () => {
  const { page, errors } = await newPage(browser);
  await page.goto(server.url);
  await page.locator('a[href="/tasks/05-layernorm"]').first().waitFor();
  await tabTo(page, 'a[href="/tasks/05-layernorm"]');
  await page.keyboard.press('Enter');
  await page.locator('.cm-content').waitFor();

  await fillBlank(page, kGood);
  await saved(page);
  assert.match(server.read('05-layernorm'), /fmaxf\(mean_square - mean \* mean, 0\.0f\)/);
  await runAll(page);
  assert.equal(await page.locator('[data-verdict="AC"]').count(), 14);
  assert.match(await page.locator('#score-total').innerText(), /^3 \/ 10/);

  await page.keyboard.press('Escape');
  await page.keyboard.press('Alt+q');
  await page.locator('#question-nan-spreads').waitFor();
  await answerOrder(page);
  const row = /\[([\d .,]+)\]/.exec(await page.locator('#question-variance-of-a-row').innerText())?.[1] ?? '';
  await tabTo(page, '#question-variance-of-a-row input');
  await page.keyboard.type(String(fusedVariance(row.split(/[ ,]+/).map(Number))));
  await tabTo(page, '#question-what-the-clamp-does input');
  const right = page.locator('#question-what-the-clamp-does label', { hasText: 'They are finite' }).locator('input');
  for (let n = 0; n < 4 && !(await right.isChecked()); ++n) await page.keyboard.press(n === 0 ? 'Space' : 'ArrowDown');
  await tabTo(page, '#question-explanation textarea');
  await page.keyboard.type(
    'On a constant row with a large mean the subtraction cancels the digits and leaves a negative rounding error, NaN without the guard. One walk for both sums saves a read of memory but costs accuracy.',
  );
  await tabTo(page, '#left-panel button[type="submit"]');
  await page.keyboard.press('Enter');
  await page.locator('#answers-total').waitFor();
  assert.equal(await page.locator('#answers-total').innerText(), '7 / 7');

  await page.keyboard.press('Control+Enter');
  await page.locator('#score-total', { hasText: '10 / 10' }).waitFor({ timeout: 60_000 });
  await page.keyboard.press('Alt+m');
  await page.locator('li.passed a[href="/tasks/05-layernorm"]').waitFor();
  assert.deepEqual(errors, []);
});
