// Every page: accessibility by axe-core in both themes, Chinese, 360 px, no wish for another host, and how soon it can be used.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { violations } from './axe';
import { launch, newPage } from './browser';
import { serve, type Served } from './serve';
import { fillBlank, kNoClamp, openTask, overflows, runAll, saved } from './steps';

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

for (const colorScheme of ['light', 'dark'] as const) {
  test(`no violation of WCAG 2.2 AA on any page, ${colorScheme}`, async () => {
    const { page, errors } = await newPage(browser, { colorScheme });
    const bad: string[] = [];
    const check = async (name: string): Promise<void> => {
      for (const line of await violations(page)) bad.push(`${name}: ${line}`);
    };
    await page.goto(server.url);
    await page.locator('.next').first().waitFor();
    await check('map');
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await check('help');
    await openTask(page, server.url, '05-layernorm');
    await page.locator('.katex').first().waitFor();
    await check('lesson');
    await page.getByLabel('count per line').check();
    await fillBlank(page, colorScheme === 'light' ? kNoClamp : ' ');
    await saved(page);
    await runAll(page);
    await check('verdict');
    await page.getByRole('tab', { name: 'Memory' }).click();
    await check('memory');
    for (const tab of ['Questions', 'Hints', 'Runs', 'Solution']) {
      await page.getByRole('tab', { name: tab }).click();
      if (tab === 'Questions') await page.getByRole('button', { name: /^add to the order/ }).first().click();
      await page.waitForTimeout(200);
      await check(tab);
    }
    await openTask(page, server.url, 'row-softmax');
    await check('problem');
    for (const path of ['/nowhere', '/tasks/nowhere']) {
      await page.goto(server.url + path);
      await page.getByRole('heading', { name: 'There is nothing' }).waitFor();
      await check(path);
    }
    assert.deepEqual(bad, []);
    assert.deepEqual(errors.filter((e) => !e.includes('404')), []);
  });
}

test('Chinese', async () => {
  const { page } = await newPage(browser, { locale: 'zh-CN' });
  await page.goto(server.url);
  await page.getByRole('heading', { name: '练习册' }).waitFor();
  assert.equal(await page.locator('html').getAttribute('lang'), 'zh-Hans');
  await openTask(page, server.url, '05-layernorm');
  await page.getByRole('heading', { name: /均值、方差/ }).waitFor();
  await page.getByRole('tab', { name: '问题' }).click();
  await page.getByText('从输入到输出，请排出次序').waitFor();
  await page.getByRole('button', { name: 'English' }).click();
  await page.getByRole('tab', { name: 'Questions' }).waitFor();
  await page.getByText('Put the steps from input to output in order').waitFor();
});

test('360 px: nothing is wider than the window, both sides can be reached', async () => {
  const { page } = await newPage(browser, { viewport: { width: 360, height: 740 } });
  await page.goto(server.url);
  await page.locator('.next').first().waitFor();
  assert.equal(await overflows(page), false);
  await openTask(page, server.url, '05-layernorm');
  await page.locator('.katex').first().waitFor();
  assert.equal(await overflows(page), false);
  await page.getByRole('button', { name: 'Code', exact: true }).click();
  await page.locator('.cm-content').waitFor();
  assert.equal(await overflows(page), false);
  await page.getByRole('button', { name: 'Read', exact: true }).click();
  await page.getByRole('tab', { name: 'Questions' }).click();
  assert.equal(await overflows(page), false);
});

test('no page asks another host', async () => {
  const { page } = await newPage(browser);
  const hosts = new Set<string>();
  page.on('request', (request) => hosts.add(new URL(request.url()).host));
  await page.goto(server.url);
  await page.locator('.next').first().waitFor();
  await openTask(page, server.url, '05-layernorm');
  await page.locator('.katex').first().waitFor();
  assert.deepEqual([...hosts], [new URL(server.url).host]);
});

test('the compressed JavaScript of map and lesson is below 350 kB', async () => {
  const { page } = await newPage(browser);
  let bytes = 0;
  page.on('requestfinished', async (request) => {
    if (request.resourceType() === 'script') bytes += (await request.sizes()).responseBodySize;
  });
  await page.goto(server.url, { waitUntil: 'networkidle' });
  assert.ok(bytes > 0 && bytes < 350_000, `map ${bytes}`);
  bytes = 0;
  const fresh = (await newPage(browser)).page;
  fresh.on('requestfinished', async (request) => {
    if (request.resourceType() === 'script') bytes += (await request.sizes()).responseBodySize;
  });
  await openTask(fresh, server.url, '05-layernorm');
  await fresh.locator('.katex').first().waitFor();
  assert.ok(bytes > 0 && bytes < 350_000, `lesson ${bytes}`);
});
