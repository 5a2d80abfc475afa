// What the memory saw: a request of a warp as a picture, chosen by line, and two runs compared. The figures are those of the run's own result.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { violations } from './axe';
import { launch, newPage } from './browser';
import { kThreadARow, kWarpARow } from './kernels';
import { serve, type Served } from './serve';
import { openTask, overflows, runAll } from './steps';

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

/// row-softmax with that text, run with counts per line unless told otherwise, its memory shown for 64 rows of 128 columns.
async function shown(page: Page, text: string, counted = true): Promise<void> {
  server.write('row-softmax', text, 'kernel.cu');
  await openTask(page, server.url, 'row-softmax');
  await page.getByLabel('count per line').setChecked(counted);
  await runAll(page);
  await page.getByRole('tab', { name: 'Memory' }).click();
  await page.getByLabel('Case').selectOption('heads');
}

test('the worst line comes first, its request is drawn, and the arrow keys choose another', async () => {
  const { page, errors } = await newPage(browser);
  await shown(page, kThreadARow);
  const figure = page.locator('figure[data-picture]');
  await figure.waitFor();
  const lines = kThreadARow.split('\n');
  const at = Number(await figure.getAttribute('data-picture'));
  assert.match(lines[at - 1] ?? '', /x\[row \* x_stride/);
  // A row apart: each lane has a sector of its own, filled to an eighth.
  const lanes = await figure.locator('svg .lane:not(.off)').count();
  assert.equal(await figure.locator('svg .sector').count(), lanes);
  assert.equal(await figure.locator('svg .used').count(), lanes);
  assert.match(await figure.locator('figcaption').innerText(), new RegExp(`global memory, reads x: 1 request, ${lanes} lanes × 4 bytes, ✗ ${lanes} sectors, ${Math.ceil(lanes / 8)} would do`));
  assert.match(await figure.locator('figcaption').innerText(), new RegExp(`${4 * lanes} bytes are asked for, ${32 * lanes} are moved`));
  const radios = page.getByRole('radiogroup', { name: 'One request of a warp' }).getByRole('radio');
  assert.ok((await radios.count()) >= 3);
  await radios.first().focus();
  await page.keyboard.press('ArrowDown');
  assert.equal(await radios.nth(1).isChecked(), true);
  assert.notEqual(await figure.getAttribute('data-picture'), String(at));
  // A click on a row does the same.
  const store = lines.findIndex((line) => line.includes('y[row')) + 1;
  await page.locator(`label[data-row="${store}g"]`).click();
  assert.equal(await figure.getAttribute('data-picture'), String(store));
  await figure.getByText('which lanes').click();
  assert.match(await figure.innerText(), /sector from byte 0: lanes 0/);
  assert.deepEqual(errors.filter((e) => !e.includes('404')), []);
});

test('a tensor that begins behind a boundary is counted from its own first byte', async () => {
  const { page } = await newPage(browser);
  await shown(page, kWarpARow);
  await page.getByLabel('Case').selectOption('misaligned'); // x begins 4 bytes behind a boundary
  const figure = page.locator('figure[data-picture]');
  assert.match(await figure.locator('figcaption').innerText(), /✗ 5 sectors, 4 would do. 128 bytes are asked for, 160 are moved/);
  assert.equal(await figure.locator('svg .sector title').first().textContent(), '-4–27: 28 of 32 bytes asked for');
  assert.equal(await figure.locator('svg .lane title').first().textContent(), 'lane 0: 0');
});

test('shared memory is drawn as banks', async () => {
  const { page } = await newPage(browser);
  server.begin('12-shared-row', 'solution.cu');
  await openTask(page, server.url, '12-shared-row');
  await page.getByLabel('count per line').check();
  await runAll(page);
  await page.getByRole('tab', { name: 'Memory' }).click();
  await page.locator('label[data-row$="s"]').first().click();
  const figure = page.locator('figure[data-picture]');
  assert.equal(await figure.locator('svg .bank').count(), 32);
  assert.match(await figure.locator('figcaption').innerText(), /shared memory, .* ✓ 1 wavefront, as few as these bytes need/);
});

test('an earlier run is compared: figures, words and pictures side by side', async () => {
  const { page, errors } = await newPage(browser);
  await shown(page, kThreadARow, false);
  await shown(page, kThreadARow);
  await shown(page, kWarpARow);
  const choice = page.getByLabel('Compare with');
  // The newest is the run that is shown, then the one before it.
  await choice.selectOption({ index: 2 });
  const row = (name: string) => page.getByRole('row', { name: new RegExp(name) });
  await row('sectors a load request').waitFor();
  assert.equal(await row('sectors a load request').getAttribute('data-change'), 'better');
  assert.equal(await row('sectors for each that would do').getAttribute('data-change'), 'better');
  assert.equal(await row('passes that read x').getAttribute('data-change'), 'same');
  assert.match(await page.getByRole('region', { name: 'Before and after' }).innerText(), /better: .*sectors a load request [\d.]+ → [\d.]+/);
  const old = page.locator('[data-side="before"]'), now = page.locator('[data-side="now"]');
  assert.ok((await old.locator('svg .sector').count()) > (await now.locator('svg .sector').count()));
  await now.getByLabel('Line').selectOption({ index: 1 });
  // Both places that choose a line of this run agree.
  assert.equal(await now.locator('figure').getAttribute('data-picture'), await page.locator('figure[data-picture]').first().getAttribute('data-picture'));
  // A run without counts per line has figures and says why it has no picture.
  await choice.selectOption({ index: 3 });
  await page.getByText('made without counts per line, so there is no picture').waitFor();
  assert.equal(await row('sectors a load request').getAttribute('data-change'), 'better');
  assert.deepEqual(errors.filter((e) => !e.includes('404')), []);
});

test('a run from before pictures were kept says so', async () => {
  const { page } = await newPage(browser);
  await shown(page, kWarpARow);
  await page.route('**/api/attempts/*', async (route) => {
    const answer = await route.fetch();
    const result = await answer.json();
    for (const c of result.cases) for (const k of c.kernels ?? []) for (const line of k.lines ?? []) delete line.examples;
    await route.fulfill({ json: result });
  });
  await page.getByLabel('Compare with').selectOption({ index: 1 });
  await page.locator('[data-side="before"]').getByText('from before pictures were kept').waitFor();
  assert.ok((await page.locator('[data-side="now"] svg .sector').count()) > 0);
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`no violation of WCAG 2.2 AA, ${colorScheme}`, async () => {
    const { page } = await newPage(browser, { colorScheme });
    await shown(page, kThreadARow);
    await page.getByLabel('Compare with').selectOption({ index: 2 });
    await page.locator('[data-side="before"] svg').waitFor();
    assert.deepEqual(await violations(page), []);
  });
}

test('Chinese, and 360 px', async () => {
  const { page } = await newPage(browser, { locale: 'zh-CN', viewport: { width: 360, height: 740 } });
  server.write('row-softmax', kWarpARow, 'kernel.cu');
  await openTask(page, server.url, 'row-softmax');
  await page.getByRole('button', { name: '代码', exact: true }).click();
  await page.getByLabel('逐行计数').check();
  await runAll(page);
  await page.getByRole('tab', { name: '内存' }).click();
  await page.getByRole('heading', { name: '一个 warp 的一次请求' }).waitFor();
  await page.getByRole('combobox', { name: '对比' }).selectOption({ index: 2 });
  await page.locator('[data-side="before"] svg').waitFor();
  assert.equal(await overflows(page), false);
});
