// The time machine: lesson 11 recorded, stepped, scrubbed, by keyboard; what the page shows is compared with what the recording says.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { Lines } from '../../trace/viewer/lines.js';
import { hasChanged, viewOf, waiting, warpsAt, watchRows } from '../../trace/viewer/shown.js';
import { Model, type Recording } from '../../trace/viewer/stream.js';
import { exact } from '../../trace/viewer/values.js';
import { violations } from './axe';
import { launch, newPage } from './browser';
import { serve, type Served } from './serve';
import { openTask, overflows } from './steps';

const kTask = '11-online-softmax';
const kPatience = 60_000;
let server: Served;
let browser: Browser;
before(async () => {
  server = await serve();
  server.begin(kTask, 'solution.cu');
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.remove();
});

/// Opens the panel and records what is chosen; the recording as it came, and how long the panel took from then on.
async function record(page: Page, heading = 'Time machine', button = 'Record'): Promise<{ data: Recording; opened: number }> {
  await page.getByRole('tab', { name: heading }).click();
  // When the lanes are there and a frame with them has been painted.
  await page.evaluate(() => {
    const seen = new MutationObserver(() => {
      if (!document.querySelector('.steps [data-lane]')) return;
      seen.disconnect();
      requestAnimationFrame(() => setTimeout(() => Object.assign(window, { drawn: performance.now() })));
    });
    seen.observe(document.body, { childList: true, subtree: true });
  });
  const come = page.waitForResponse((response) => response.url().includes('/traces'), { timeout: kPatience });
  await page.getByRole('button', { name: button, exact: true }).click();
  const response = await come;
  assert.equal(response.status(), 200, await response.text());
  const data = (await response.json()) as Recording;
  await page.locator('.steps [data-lane]').first().waitFor();
  await page.waitForFunction('window.drawn');
  const opened = await page.evaluate(() => {
    const come = performance.getEntriesByType('resource').filter((entry) => entry.name.includes('/traces')) as PerformanceResourceTiming[];
    return (window as unknown as { drawn: number }).drawn - (come.at(-1)?.responseEnd ?? 0);
  });
  return { data, opened };
}

const step = async (page: Page): Promise<number> => Number(await page.locator('.steps').getAttribute('data-step'));

/// What 32 lanes of a variable say in full.
const shown = (page: Page, name: string): Promise<string[]> =>
  page.locator(`[data-variable="${name}"] li`).evaluateAll((cells) => cells.map((cell) => (cell as HTMLElement).title.replace(/^lane \d+: /, '').replace(/, elsewhere.*/, '')));

/// What they have to say.
function recorded(model: Model, lines: Lines, name: string, group: number): string[] {
  const at = lines.groups[group];
  assert.ok(at);
  const row = watchRows(model, viewOf(model, lines, at.warp, at.last)).find((r) => r.name === name);
  // A lane without a value is a hole in the list.
  return Array.from(row?.lanes ?? [], (entry) => (entry && row ? exact(entry.bits, row.type) : 'nothing assigned yet'));
}

async function same(page: Page, model: Model, lines: Lines): Promise<void> {
  const group = await step(page);
  for (const name of ['mine.max', 'mine.sum']) assert.deepEqual(await shown(page, name), recorded(model, lines, name, group), `${name} at step ${group}`);
}

test('lesson 11: the pair changes step by step, forwards and backwards, as it was recorded', async () => {
  const { page, errors } = await newPage(browser);
  await openTask(page, server.url, kTask);
  const { data } = await record(page);
  const model = new Model(data), lines = new Lines(model, { into: true, single: false });
  assert.equal(data.case.name, 'plain');
  // The slider has the focus: from here on by keyboard.
  assert.equal(await page.evaluate(() => (document.activeElement as HTMLInputElement).type), 'range');

  // Forwards until the pair has changed three times.
  const seen = new Set<string>();
  for (let n = 0; n < 400 && seen.size < 4; ++n) {
    await page.keyboard.press('ArrowRight');
    const pair = [...(await shown(page, 'mine.max')), ...(await shown(page, 'mine.sum'))];
    if (!pair.includes('nothing assigned yet')) seen.add(pair.join());
  }
  assert.equal(seen.size, 4, 'the pair does not change');
  await same(page, model, lines);
  const forwards = await step(page), then = await shown(page, 'mine.sum');
// What is marked as changed is what the recorded step has changed.
  const group = lines.groups[forwards], view = group && viewOf(model, lines, group.warp, group.last);
  const fresh = view ? watchRows(model, view).flatMap((row) => Array.from({ length: 32 }, (_, lane) => hasChanged(row, lane))).filter(Boolean).length : 0;
  assert.ok(fresh > 0);
  assert.equal(await page.locator('[data-variable] .changed').count(), fresh);

  // The line of the step is marked in the editor, and is the one that was recorded.
  const place = lines.groups[forwards]?.place ?? [0, 0];
  const text = data.files[place[0]]?.text.split('\n')[place[1] - 1] ?? '?';
  assert.equal((await page.locator('.cm-step').innerText()).trim(), text.trim());
  assert.ok((await page.locator('.steps [aria-current="step"]').innerText()).includes(text.trim()));

  // Backwards and forwards again.
  for (let n = 0; n < 5; ++n) await page.keyboard.press('ArrowLeft');
  assert.ok((await step(page)) < forwards);
  await same(page, model, lines);
  for (let n = 0; n < 5; ++n) await page.keyboard.press('ArrowRight');
  assert.equal(await step(page), forwards);
  assert.deepEqual(await shown(page, 'mine.sum'), then);

  // Scrubbing, to the end and back.
  const slider = page.getByRole('slider', { name: 'Position' });
  for (const part of [0.9, 0.5, 0.1]) {
    await slider.fill(String(Math.floor(part * lines.groups.length)));
    assert.equal(await step(page), Math.floor(part * lines.groups.length));
    await same(page, model, lines);
  }
  await page.keyboard.press('Home');
  await same(page, model, lines);
  await page.keyboard.press('End');
  const last = lines.groups[await step(page)];
  assert.equal(last && lines.neighbour(last.warp, last.last, 1, false), undefined);

  // Play and pause with the space bar.
  await page.keyboard.press('Home');
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'pause' }).waitFor();
  await page.waitForTimeout(900);
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'play' }).waitFor();
  assert.ok((await step(page)) > 0);
  assert.deepEqual(errors, []);
});

test('a recording is cancelled, and the next one is made', async () => {
  const { page, errors } = await newPage(browser);
  await openTask(page, server.url, kTask);
  await page.getByRole('tab', { name: 'Time machine' }).click();
  await page.getByRole('button', { name: 'Record', exact: true }).click();
  await page.locator('#trace-cancel').click();
  await page.locator('#trace-cancel').waitFor({ state: 'detached' });
  await page.getByText('Records one block of one case').waitFor();
  await record(page);
  assert.deepEqual(errors.filter((error) => !error.includes('409')), []);
});

test('barriers, last writers and sectors are those of the recording', async () => {
  const { page } = await newPage(browser);
  await openTask(page, server.url, kTask);
  const { data } = await record(page);
  const model = new Model(data), lines = new Lines(model, { into: true, single: false });
  await page.getByLabel('all warps').check();
  const slider = page.getByRole('slider', { name: 'Position' });
  const go = (group: number): Promise<void> => slider.fill(String(group));

  // The first load: 32 lanes side by side are four sectors, drawn and listed.
  const load = lines.groups.findIndex((g) => g.events.some((i) => model.events[i]?.accesses.some((a) => a.space === 'global')));
  await go(load);
  const figure = page.locator('figure[data-space="global"]').first();
  assert.match(await figure.innerText(), /global memory, reads x:\s+1 request, 32 lanes × 4 bytes, 4 sectors/);
  assert.equal(await figure.locator('svg .sector').count(), 4);
  const fills = await figure.locator('svg .lane').evaluateAll((boxes) => new Set(boxes.map((box) => getComputedStyle(box).fill)).size);
  assert.equal(fills, 4);
  await figure.locator('summary').click();
  assert.match(await figure.innerText(), /sector from byte 32: lanes 8–15/);

  // The barrier at which most wait.
  const most = lines.groups
    .map((g, n) => ({ n, who: waiting(warpsAt(model, g.last)).barriers[0] }))
    .reduce((a, b) => ((b.who?.warps.length ?? 0) > (a.who?.warps.length ?? 0) ? b : a));
  assert.equal(most.who?.warps.length, 7);
  await go(most.n);
  assert.match(await page.locator('.barrier').innerText(), /7 of 8 warps wait at barrier 0: /);
  assert.equal(await page.locator('.warps .state2').count(), 7);

  // The last write to shared memory: every warp's pair, each by its own lane 0, at the line that stores it.
  const store = lines.groups.findLastIndex((g) => g.events.some((i) => (model.events[i]?.words.length ?? 0) > 0));
  await go(store);
  const event = lines.groups[store]?.events.findLast((i) => (model.events[i]?.words.length ?? 0) > 0) ?? -1;
  const word = model.events[event]?.words[0], warp = model.events[event]?.warp ?? -1;
  assert.ok(word);
  const cell = page.locator(`[data-word="${word.at / 4}"]`);
  assert.match((await cell.getAttribute('title')) ?? '', new RegExp(`written by thread ${warp * 32 + word.lane} \\(warp ${warp}, lane ${word.lane}\\) at exercise\\.cu:${lines.at(event).place[1]}`));
  assert.match(await cell.innerText(), new RegExp(`t${warp * 32 + word.lane}:${lines.at(event).place[1]}`));
  assert.equal(await page.locator('[data-word].changed').count(), new Set(lines.groups[store]?.events.flatMap((i) => model.events[i]?.words.map((w) => w.at) ?? [])).size);
});

test('a block of 256 threads and a row of 1,024 opens within a second', async () => {
  const { page } = await newPage(browser);
  server.begin('05-layernorm', 'solution.cu');
  await openTask(page, server.url, '05-layernorm');
  let best = Infinity;
  for (let n = 0; n < 2; ++n) {
    const { data, opened } = await record(page);
    assert.deepEqual([data.block, data.case.cols], [[256, 1, 1], 1024]);
    best = Math.min(best, opened);
    await page.reload();
    await page.locator('.cm-content').waitFor();
  }
  console.log(`# opened in ${Math.round(best)} ms`);
  assert.ok(best < 1000, `${Math.round(best)} ms`);
});

test('what cannot be recorded is said, and the panel goes on', async () => {
  const { page } = await newPage(browser);
  await openTask(page, server.url, kTask);
  await page.getByRole('tab', { name: 'Time machine' }).click();
  await page.getByLabel('Block').fill('x');
  assert.equal(await page.getByRole('button', { name: 'Record', exact: true }).isDisabled(), true);
  await page.getByLabel('Block').fill('999999');
  await page.getByRole('button', { name: 'Record', exact: true }).click();
  await page.locator('.machine [role="status"]', { hasText: 'did not run: the grid is' }).waitFor({ timeout: kPatience });
  await page.getByLabel('Block').fill('1');
  const { data } = await record(page);
  assert.deepEqual(data.index, [1, 0, 0]);
  // Another tab and back: the same step is still there, and the mark in the editor with it.
  await page.keyboard.press('ArrowRight');
  const before = await step(page);
  await page.getByRole('tab', { name: 'Verdict' }).click();
  assert.equal(await page.locator('.cm-step').count(), 0);
  await page.getByRole('tab', { name: 'Time machine' }).click();
  assert.equal(await step(page), before);
  await page.locator('.cm-step').waitFor();
});

test('a file that does not compile: its errors with their lines, and no report for a terminal', async () => {
  const { page } = await newPage(browser);
  server.begin('05-layernorm', 'solution.cu');
  const right = server.read('05-layernorm');
  server.write('05-layernorm', right.replace('rsqrtf(variance + eps);', 'rsqrtf(varianc + eps)'));
  assert.notEqual(server.read('05-layernorm'), right);
  await openTask(page, server.url, '05-layernorm');
  await page.getByRole('tab', { name: 'Time machine' }).click();
  await page.getByRole('button', { name: 'Record', exact: true }).click();
  const errors = page.locator('.machine li');
  await errors.first().waitFor({ timeout: kPatience });
  assert.match(await errors.first().innerText(), /error\s+identifier "varianc" is undefined/);
  assert.equal((await page.locator('.machine [role="status"]').innerText()).trim(), '✗ 2 compile errors');
  assert.doesNotMatch(await page.locator('.machine').innerText(), /points 0 of/);
  const line = /\d+/.exec(await errors.first().getByRole('button').innerText())?.[0];
  await errors.first().getByRole('button').click();
  assert.equal((await page.locator('.cm-activeLineGutter').last().innerText()).trim(), line);
  assert.deepEqual(await violations(page), []);
  // The next recording takes them away.
  server.write('05-layernorm', right);
  await page.locator('.cm-line', { hasText: 'rsqrtf(variance + eps);' }).waitFor({ timeout: 20_000 });
  await record(page);
  assert.equal(await errors.filter({ hasText: 'is undefined' }).count(), 0);
});

test('a window of a long block says what it holds, and the others can be had', async () => {
  const { page } = await newPage(browser);
  server.begin(kTask, 'solution.cu');
  await openTask(page, server.url, kTask);
  // As if the block were long: the first wish is cut to steps 100 to 199.
  const wishes: unknown[] = [];
  await page.route('**/traces*', async (route) => {
    const wish = route.request().postDataJSON() as object;
    wishes.push(wish);
    await route.continue({ postData: JSON.stringify(wishes.length === 1 ? { ...wish, from: 100, steps: 100 } : wish) });
  });
  const { data } = await record(page);
  assert.deepEqual(data.window, { first: 100, kept: 100, truncated: true });
  await page.getByText('Steps 100 to 200 of the warps are recorded.').waitFor();
  await page.getByRole('button', { name: 'Record what follows' }).click();
  await page.getByText(/^Steps 200 to \d+ of the warps/).waitFor({ timeout: kPatience });
  await page.getByRole('button', { name: 'Record from the start' }).click();
  await page.getByText(/^Steps/).waitFor({ state: 'detached', timeout: kPatience });
  assert.deepEqual(wishes, [{ case: 'plain' }, { case: 'plain', from: 200 }, { case: 'plain' }]);
});

test('a failing kernel is opened where it fails', async () => {
  const { page } = await newPage(browser);
  server.begin('02-block-reduce', 'wrong/barrier-in-branch.cu');
  await openTask(page, server.url, '02-block-reduce');
  const { data } = await record(page);
  const line = data.fault?.frames.find((frame) => frame.number === 0)?.line ?? 0;
  assert.equal((await page.locator('.cm-step').innerText()).trim(), '__syncthreads();');
  assert.equal(data.files[0]?.text.split('\n')[line - 1]?.trim(), '__syncthreads();');
  assert.match(await page.locator('.steps').innerText(), /bar\.sync in divergent code/);
  assert.match(await page.locator('.mask').innerText(), /^\s*1 of 32 lanes are at this line: 0/);
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`no violation of WCAG 2.2 AA, ${colorScheme}`, async () => {
    const { page } = await newPage(browser, { colorScheme });
    await openTask(page, server.url, kTask);
    await page.getByRole('tab', { name: 'Time machine' }).click();
    await page.locator('#trace-record').waitFor();
    assert.deepEqual(await violations(page, '.writing'), []);
    await record(page);
    await page.getByLabel('all warps').check();
    for (const part of [0.2, 0.6]) {
      const slider = page.getByRole('slider', { name: 'Position' });
      await slider.fill(String(Math.floor(part * Number(await slider.getAttribute('max')))));
      assert.deepEqual(await violations(page, '.writing'), []);
    }
  });
}

test('360 px and Chinese', async () => {
  const { page } = await newPage(browser, { viewport: { width: 360, height: 740 }, locale: 'zh-CN' });
  await openTask(page, server.url, kTask);
  await page.getByRole('button', { name: '代码', exact: true }).click();
  await record(page, '时间机器', '记录');
  for (let n = 0; n < 30; ++n) await page.keyboard.press('ArrowRight');
  assert.equal(await overflows(page), false);
  // All 32 lanes are inside the window, without scrolling sideways.
  const right = await page.locator('[data-variable="mine.max"] li').evaluateAll((cells) => Math.max(...cells.map((cell) => cell.getBoundingClientRect().right)));
  assert.ok(right <= 360, `${right}`);
  assert.match(await page.locator('.steps').innerText(), /32 个 lane 中有 32 个在这一行/);
});

/// Opens the figure of a lesson's text by keyboard and returns its recording.
async function openFigure(page: Page, lesson: string, name: string, label = 'Step through'): Promise<Recording> {
  await openTask(page, server.url, lesson);
  const button = page.locator('.step-through').getByRole('button', { name: label });
  await button.focus();
  const come = page.waitForResponse((response) => response.url().endsWith(`/figures/${name}.trace`));
  await page.keyboard.press('Enter');
  const data = (await (await come).json()) as Recording;
  await page.locator('.step-through .steps').waitFor();
  return data;
}

test('a figure of the text is stepped through; viewer and recording come when it is opened', async () => {
  const { page, errors } = await newPage(browser);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await openTask(page, server.url, '01-warp-reduce');
  await page.locator('.step-through').getByText('Five exchanges among 32 lanes').waitFor();
  await page.waitForTimeout(300);
  assert.deepEqual(asked.filter((url) => /StepThrough|Viewer|\.trace$/.test(url)), []);
  const data = await openFigure(page, '01-warp-reduce', 'butterfly');
  const model = new Model(data), lines = new Lines(model, { into: false, single: false });
  const figure = page.locator('.step-through');
  const sums = (): Promise<string[]> => figure.locator('[data-variable="sum"] .value').allInnerTexts();
  // The focus is on the position: the keys go through the steps.
  await page.keyboard.press('End');
  const x = (data.files[0]?.text.match(/^\/\/ in x (.*)$/gm) ?? []).flatMap((line) => line.split(' ').slice(3).map(Number));
  assert.equal(x.length, 32);
  assert.deepEqual(new Set(await sums()), new Set([String(x.reduce((a, b) => a + b, 0))]));
  await page.keyboard.press('Home');
  for (let n = 0; n < 12; ++n) {
    await page.keyboard.press('ArrowRight');
    const at = Number(await figure.locator('.steps').getAttribute('data-step')), t = lines.groups[at]?.last ?? 0;
    const row = watchRows(model, viewOf(model, lines, 0, t)).find((r) => r.name === 'sum');
    const told = Array.from({ length: 32 }, (_, lane) => row?.lanes[lane]).map((entry) => (entry ? exact(entry.bits, 'f32') : 'nothing assigned yet'));
    assert.deepEqual((await figure.locator('[data-variable="sum"] li').evaluateAll((cells) => cells.map((cell) => (cell as HTMLElement).title.replace(/^lane \d+: /, '').replace(/, elsewhere.*/, '')))), told);
    assert.equal(Number(await figure.locator('[aria-current="step"]').getAttribute('data-line')), lines.groups[at]?.place[1]);
  }
  await figure.getByRole('button', { name: 'Close the steps' }).click();
  assert.equal(await figure.locator('.steps').count(), 0);
  assert.deepEqual(errors, []);
});

for (const [lesson, name, variables] of [
  ['08-welford', 'merge', ['n', 'mean', 'm2', 'apart', 'between']],
  ['11-online-softmax', 'walk', ['m', 'd', 'logit']],
  ['21-attention-row', 'tile', ['m', 'd', 'o', 'score', 'weight', 'shrink']],
] as const) {
  test(`the figure of ${lesson} shows its variables`, async () => {
    const { page, errors } = await newPage(browser);
    await openFigure(page, lesson, name);
    await page.keyboard.press('End');
    for (const variable of variables) await page.locator(`.step-through [data-variable="${variable}"] [data-lane="31"]`).waitFor({ state: 'attached' });
    assert.deepEqual(errors, []);
  });
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`a figure that is open has no violation of WCAG 2.2 AA, ${colorScheme}; in Chinese, and at 360 px`, async () => {
    const { page } = await newPage(browser, { colorScheme });
    await openFigure(page, '01-warp-reduce', 'butterfly');
    await page.keyboard.press('ArrowRight');
    assert.deepEqual(await violations(page), []);
    const narrow = (await newPage(browser, { colorScheme, locale: 'zh-CN', viewport: { width: 360, height: 740 } })).page;
    await openFigure(narrow, '21-attention-row', 'tile', '逐步观看');
    assert.equal(await overflows(narrow), false);
  });
}
