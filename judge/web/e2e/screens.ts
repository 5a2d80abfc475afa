// The pictures in docs/screens: each page in both themes, and on a narrow screen. `npm run screens` refreshes them, `npm run screens class`
// those of a class alone.
import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { launch, newPage } from './browser';
import { takeClass } from './class_pictures';
import { postgresPrograms } from './postgres';
import { serve, type Served } from './serve';
import { takeFigure } from './figure_pictures';
import { takeMemory } from './memory_pictures';
import { takeRoofline } from './roofline_pictures';
import { takeTrace } from './trace_pictures';
import { fillBlank, kGood, kNoClamp, openTask, runAll, saved } from './steps';

const out = resolve(dirname(fileURLToPath(import.meta.url)), '../../../docs/screens');
const kNarrow = { width: 360, height: 740 };
const kWide = { width: 1280, height: 860 };

async function take(theme: string, name: string, of: Page): Promise<void> {
  await of.waitForTimeout(250); // fonts of formulas
  await of.screenshot({ path: join(out, `${name}-${theme}.png`) });
  console.log(`${name}-${theme}.png`);
}

async function pictures(browser: Browser, server: Served, theme: 'light' | 'dark'): Promise<void> {
  const { page } = await newPage(browser, { colorScheme: theme, viewport: kWide });
  const shot = (name: string, of: Page = page): Promise<void> => take(theme, name, of);
  await page.goto(server.url);
  await page.locator('.next').first().waitFor();
  await shot('map');
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  await shot('keys');

  await openTask(page, server.url, '05-layernorm');
  await page.locator('.katex').first().waitFor();
  await page.locator('.prose pre code span').first().waitFor(); // coloured
  await shot('lesson');
  await page.getByLabel('count per line').check();
  await fillBlank(page, kNoClamp);
  await saved(page);
  await runAll(page);
  await shot('verdict');
  await page.locator('.mistake').scrollIntoViewIfNeeded();
  await shot('mistake');
  await page.getByRole('tab', { name: 'Memory' }).click();
  await page.getByLabel('Case').selectOption('plain');
  await shot('memory');
  await page.getByRole('tab', { name: 'Hints' }).click();
  await page.getByRole('button', { name: /^Show hint/ }).first().click();
  await page.locator('.hint').first().waitFor();
  await shot('hints');
  await page.getByRole('tab', { name: 'Questions' }).click();
  for (let n = 0; n < 3; ++n) await page.getByRole('button', { name: /^add to the order/ }).first().click();
  await page.getByRole('button', { name: 'Hand in the answers' }).click();
  await page.locator('#answers-total').waitFor();
  await page.locator('#question-nan-spreads').scrollIntoViewIfNeeded();
  await shot('questions');
  await page.locator('#card-heading').scrollIntoViewIfNeeded();
  await shot('points');

  server.begin('02-block-reduce', 'wrong/barrier-in-branch.cu');
  await openTask(page, server.url, '02-block-reduce');
  await page.keyboard.press('Control+Enter');
  await page.locator('#score-total').waitFor({ timeout: 60_000 });
  await page.locator('.fault').getByRole('button').first().click();
  await page.locator('.case').evaluate((box) => box.scrollIntoView());
  await shot('fault');

  await takeTrace(page, server, shot);
  await takeFigure(page, server, shot);

  await openTask(page, server.url, 'row-softmax');
  await shot('problem');
  await takeMemory(page, server, shot);
  await takeRoofline(page, shot);

  const zh = (await newPage(browser, { colorScheme: theme, viewport: kWide, locale: 'zh-CN' })).page;
  await openTask(zh, server.url, '05-layernorm');
  await zh.locator('.katex').first().waitFor();
  await zh.locator('.prose pre code span').first().waitFor(); // coloured
  await shot('chinese', zh);

  const narrow = (await newPage(browser, { colorScheme: theme, viewport: kNarrow })).page;
  await narrow.goto(server.url);
  await narrow.locator('.next').first().waitFor();
  await shot('narrow-map', narrow);
  await openTask(narrow, server.url, '05-layernorm');
  await narrow.locator('.katex').first().waitFor();
  await shot('narrow-lesson', narrow);
  await narrow.getByRole('button', { name: 'Code', exact: true }).click();
  await shot('narrow-code', narrow);
}

mkdirSync(out, { recursive: true });
const browser = await launch();
try {
  for (const theme of ['light', 'dark'] as const) {
    if (postgresPrograms()) await takeClass(browser, theme, (name, of) => take(theme, name, of));
    else console.log('no pictures of a class: no PostgreSQL server is installed');
    if (process.argv[2] === 'class') continue;
    const server = await serve();
    // Something to see on the map.
    const { page } = await newPage(browser);
    await openTask(page, server.url, '04-rmsnorm');
    await fillBlank(page, kGood);
    await saved(page);
    await page.goto('about:blank');
    await pictures(browser, server, theme);
    await server.remove();
  }
} finally {
  await browser.close();
}
