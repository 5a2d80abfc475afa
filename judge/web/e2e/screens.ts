// The pictures in docs/screens: each page in both themes, and on a narrow screen. `npm run screens` refreshes them.
import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { launch, newPage } from './browser';
import { serve, type Served } from './serve';
import { takeTrace } from './trace_pictures';
import { fillBlank, kGood, kNoClamp, openTask, runAll, saved } from './steps';

const out = resolve(dirname(fileURLToPath(import.meta.url)), '../../../docs/screens');
const kNarrow = { width: 360, height: 740 };
const kWide = { width: 1280, height: 860 };

async function pictures(browser: Browser, server: Served, theme: 'light' | 'dark'): Promise<void> {
  const { page } = await newPage(browser, { colorScheme: theme, viewport: kWide });
  const take = async (name: string, of: Page = page): Promise<void> => {
    await of.waitForTimeout(250); // fonts of formulas
    await of.screenshot({ path: join(out, `${name}-${theme}.png`) });
    console.log(`${name}-${theme}.png`);
  };
  await page.goto(server.url);
  await page.locator('.next').first().waitFor();
  await take('map');
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  await take('keys');

  await openTask(page, server.url, '05-layernorm');
  await page.locator('.katex').first().waitFor();
  await take('lesson');
  await page.getByLabel('count per line').check();
  await fillBlank(page, kNoClamp);
  await saved(page);
  await runAll(page);
  await take('verdict');
  await page.locator('.mistake').scrollIntoViewIfNeeded();
  await take('mistake');
  await page.getByRole('tab', { name: 'Memory' }).click();
  await page.getByLabel('Case').selectOption('plain');
  await take('memory');
  await page.getByRole('tab', { name: 'Hints' }).click();
  await page.getByRole('button', { name: /^Show hint/ }).first().click();
  await page.locator('.hint').first().waitFor();
  await take('hints');
  await page.getByRole('tab', { name: 'Questions' }).click();
  for (let n = 0; n < 3; ++n) await page.getByRole('button', { name: /^add to the order/ }).first().click();
  await page.getByRole('button', { name: 'Hand in the answers' }).click();
  await page.locator('#answers-total').waitFor();
  await page.locator('#question-nan-spreads').scrollIntoViewIfNeeded();
  await take('questions');
  await page.locator('#card-heading').scrollIntoViewIfNeeded();
  await take('points');

  server.begin('02-block-reduce', 'wrong/barrier-in-branch.cu');
  await openTask(page, server.url, '02-block-reduce');
  await page.keyboard.press('Control+Enter');
  await page.locator('#score-total').waitFor({ timeout: 60_000 });
  await page.locator('.fault').getByRole('button').first().click();
  await page.locator('.case').evaluate((box) => box.scrollIntoView());
  await take('fault');

  await takeTrace(page, server, take);

  await openTask(page, server.url, 'row-softmax');
  await take('problem');

  const zh = (await newPage(browser, { colorScheme: theme, viewport: kWide, locale: 'zh-CN' })).page;
  await openTask(zh, server.url, '05-layernorm');
  await zh.locator('.katex').first().waitFor();
  await take('chinese', zh);

  const narrow = (await newPage(browser, { colorScheme: theme, viewport: kNarrow })).page;
  await narrow.goto(server.url);
  await narrow.locator('.next').first().waitFor();
  await take('narrow-map', narrow);
  await openTask(narrow, server.url, '05-layernorm');
  await narrow.locator('.katex').first().waitFor();
  await take('narrow-lesson', narrow);
  await narrow.getByRole('button', { name: 'Code', exact: true }).click();
  await take('narrow-code', narrow);
}

mkdirSync(out, { recursive: true });
const browser = await launch();
try {
  for (const theme of ['light', 'dark'] as const) {
    const server = await serve();
    // Something to see on the map.
    const { page } = await newPage(browser);
    await openTask(page, server.url, '04-rmsnorm');
    await fillBlank(page, kGood);
    await page.goto('about:blank');
    await pictures(browser, server, theme);
    await server.remove();
  }
} finally {
  await browser.close();
}
