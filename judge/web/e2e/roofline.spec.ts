// The roofline of an open problem: each run under the roofs at the place that its own result gives, by keyboard and as a table.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { violations } from './axe';
import { launch, newPage } from './browser';
import { runBoth } from './memory_pictures';
import { serve, type Served } from './serve';
import { openTask, overflows } from './steps';

let server: Served;
let browser: Browser;
before(async () => {
  server = await serve();
  browser = await launch();
  const { page } = await newPage(browser);
  await runBoth(page, server);
});
after(async () => {
  await browser?.close();
  await server?.remove();
});

async function runs(page: Page, tab = 'Runs'): Promise<void> {
  await openTask(page, server.url, 'row-softmax');
  await page.getByRole('tab', { name: tab }).click();
  await page.locator('.plot canvas').waitFor();
}

test('points stand where the counts of their runs put them; the arrow keys go through them', async () => {
  const { page, errors } = await newPage(browser);
  await runs(page);
  const { attempts, roofline } = await (await page.request.get(`${server.url}/api/tasks/row-softmax/attempts`)).json();
  assert.equal(attempts.length, 2);
  assert.equal(roofline.case, 'long');
  assert.equal(roofline.least_sectors, (2 * 152064 * 4) / 32);
  const slider = page.getByRole('slider', { name: 'Runs under the roofs' });
  assert.equal(await slider.getAttribute('aria-valuenow'), '2');
  await slider.focus();
  await page.keyboard.press('ArrowLeft');
  assert.equal(await slider.getAttribute('aria-valuenow'), '1');
  const first = attempts.sort((a: { started_ms: number }, b: { started_ms: number }) => a.started_ms - b.started_ms)[0];
  const result = await (await page.request.get(`${server.url}/api/attempts/${first.id}`)).json();
  const counters = result.cases.find((c: { name: string }) => c.name === 'long').counters;
  assert.equal(first.counts.warp_instructions, counters.warp_instructions);
  assert.equal(first.counts.sectors, counters.global_sectors);
  const asked = String(Number((counters.warp_instructions / counters.global_sectors).toFixed(2)));
  assert.ok(((await slider.getAttribute('aria-valuetext')) ?? '').includes(`${asked} instructions a sector as asked for`));
  assert.match(await page.locator('[data-point="1"]').innerText(), /at least [\d.]+ .s, and [\d.]+ .s if no cache ever hits/);
  assert.equal(await page.locator('tr[aria-current="true"] th').innerText().then((text) => text.slice(0, 1)), '1');
  await page.getByText('Bounds, not measurements.').waitFor();
  await page.keyboard.press('End');
  assert.equal(await slider.getAttribute('aria-valuenow'), '2');
  assert.deepEqual(errors, []);
});

test('a click chooses the closest point', async () => {
  const { page } = await newPage(browser);
  await runs(page);
  const slider = page.getByRole('slider', { name: 'Runs under the roofs' });
  const box = await slider.boundingBox();
  assert.ok(box);
  const chosen = new Set<string | null>();
  for (let x = 60; x < box.width - 10; x += 30) {
    await page.mouse.click(box.x + x, box.y + box.height / 2);
    chosen.add(await slider.getAttribute('aria-valuenow'));
  }
  assert.deepEqual([...chosen].sort(), ['1', '2']);
});

test('a lesson shows no roofline and does not load the plot', async () => {
  const { page } = await newPage(browser);
  const scripts: string[] = [];
  page.on('request', (request) => scripts.push(request.url()));
  await openTask(page, server.url, '05-layernorm');
  await page.getByRole('tab', { name: 'Runs' }).click();
  await page.getByRole('heading', { name: 'Earlier runs' }).waitFor();
  await page.waitForTimeout(300);
  assert.equal(await page.locator('.plot').count(), 0);
  assert.deepEqual(scripts.filter((url) => /Roofline/.test(url)), []);
});

for (const colorScheme of ['light', 'dark'] as const) {
  for (const locale of ['en-GB', 'zh-CN']) {
    test(`no violation of WCAG 2.2 AA, ${colorScheme}, ${locale}`, async () => {
      const { page } = await newPage(browser, { colorScheme, locale });
      await runs(page, locale === 'zh-CN' ? '记录' : 'Runs');
      assert.deepEqual(await violations(page), []);
    });
  }
}

test('360 px', async () => {
  const { page } = await newPage(browser, { viewport: { width: 360, height: 740 } });
  await runs(page);
  assert.equal(await overflows(page), false);
});
