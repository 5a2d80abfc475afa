// What a failing run shows: chips as they come, the failed case open, the line in the editor, the question, the smallest input.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { launch, newPage } from './browser';
import { serve, type Served } from './serve';
import { fillBlank, kNoClamp, openTask, runAll, saved } from './steps';

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

test('a wrong answer opens at its worst element, with the question and the smallest input', async () => {
  const { page, errors } = await newPage(browser);
  await openTask(page, server.url, '05-layernorm');
  await fillBlank(page, kNoClamp);
  await saved(page);
  await runAll(page);
  const failed = await page.locator('[data-verdict="WA"]').allInnerTexts();
  assert.ok(failed.some((text) => text.includes('negative-variance')), failed.join());
  assert.match(await page.locator('.case').innerText(), /y\[\d+\]\[\d+\]/);
  assert.match(await page.locator('.mistake').innerText(), /which sign can the difference/i);
  assert.match(await page.locator('pre', { hasText: '--input' }).innerText(), /judge run 05-layernorm --input 'x=/);

  // The next failed case by key, and that case alone.
  await page.keyboard.press('Alt+f');
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'case-heading');
  await page.getByRole('button', { name: 'Run only this' }).click();
  await page.getByText('Only some cases were run').waitFor({ timeout: 60_000 });

  // A reload finds what the run said.
  await page.reload();
  await page.locator('[data-verdict="WA"]').first().waitFor();
  assert.deepEqual(errors, []);
});

test('a fault stands at its line, in the verdict, in the gutter and below the editor', async () => {
  server.begin('02-block-reduce', 'wrong/barrier-in-branch.cu');
  const { page } = await newPage(browser);
  await openTask(page, server.url, '02-block-reduce');
  await runAll(page);
  assert.ok((await page.locator('[data-verdict="RTE"]').count()) > 0);
  assert.match(await page.locator('.mistake').innerText(), /which threads of the block arrive/i);
  const button = page.locator('.fault.bad').getByRole('button', { name: /^line \d+/ }).first();
  const line = Number(/\d+/.exec(await button.innerText())?.[0]);
  assert.match(server.read('02-block-reduce').split('\n')[line - 1] ?? '', /__syncthreads/);
  await button.click();
  const said = await page.locator('.fault.bad p').first().innerText();
  assert.ok(said.length > 20);
  assert.ok((await page.locator('p.note').innerText()).includes(said.replace(/^⚠ /, '')), await page.locator('p.note').innerText());
  await page.locator('.cm-activeLine.cm-marked').hover({ position: { x: 60, y: 9 } });
  await page.locator('.cm-note').waitFor();
});

test('a compile error stands at its line', async () => {
  const { page } = await newPage(browser);
  await openTask(page, server.url, '04-rmsnorm');
  await fillBlank(page, 'this is no code;');
  await saved(page);
  await page.keyboard.press('Control+Enter');
  await page.getByRole('heading', { name: 'Compiler' }).waitFor({ timeout: 60_000 });
  const button = page.locator('section', { hasText: 'Compiler' }).getByRole('button', { name: /^line \d+/ }).first();
  const line = Number(/\d+/.exec(await button.innerText())?.[0]);
  const onDisk = server.read('04-rmsnorm').split('\n');
  assert.match(onDisk[line - 1] ?? '', /this is no code/);
  await button.click();
  await page.locator('.cm-mark').first().waitFor();
  assert.match(await page.locator('p.note').innerText(), /./);
});

test('locked lines cannot be changed, and the page says so', async () => {
  const { page } = await newPage(browser);
  await openTask(page, server.url, '06-safe-softmax');
  await page.locator('.cm-content').focus();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('x');
  await page.getByText('This line belongs to the lesson').waitFor();
  assert.match((await page.locator('.cm-line').first().innerText()) ?? '', /^\/\//);
});

test('counts per line stand in the margin', async () => {
  const { page } = await newPage(browser);
  await openTask(page, server.url, '05-layernorm');
  await page.getByLabel('count per line').check();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.locator('.cm-heat-cell').first().waitFor({ timeout: 60_000 });
  await page.getByRole('tab', { name: 'Memory' }).click();
  await page.getByRole('heading', { name: 'Passes over each tensor' }).waitFor();
  assert.ok((await page.locator('.cm-heat-cell').count()) > 3);
});

test('a run waits its turn, a reload finds it, and it can be cancelled', async () => {
  // The first run goes on for minutes: its host code sleeps in every case.
  server.sleeper();
  server.begin('02-block-reduce', 'wrong/no-closing-barrier.cu');
  const first = (await newPage(browser)).page, second = (await newPage(browser)).page;
  await openTask(second, server.url, '02-block-reduce');
  await openTask(first, server.url, 'row-softmax');
  await first.keyboard.press('Control+Enter');
  await first.locator('[data-phase="compiling"], [data-phase="judging"]').waitFor();
  await second.keyboard.press('Control+Enter');
  await second.getByText('waiting, 1 run before this one').waitFor();
  await second.reload();
  await second.getByRole('button', { name: 'Cancel', exact: true }).click();
  await second.getByText('The run was cancelled.').waitFor();
  await first.getByRole('button', { name: 'Cancel', exact: true }).click();
  await first.getByText('The run was cancelled.').waitFor();
});

test('an answer that was typed and not handed in is there after a reload', async () => {
  const { page } = await newPage(browser);
  await openTask(page, server.url, '06-safe-softmax');
  await page.getByRole('tab', { name: 'Questions' }).click();
  const text = page.locator('form textarea').last();
  await text.fill('the maximum comes first');
  await page.reload();
  await page.getByRole('tab', { name: 'Questions' }).click();
  assert.equal(await text.inputValue(), 'the maximum comes first');
});

test('marks that would turn a line round are shown', async () => {
  const { page } = await newPage(browser);
  await openTask(page, server.url, '05-layernorm');
  await fillBlank(page, 'float scale = 1.0f; // \u202e turned');
  await page.locator('.cm-specialChar').first().waitFor();
});
