// One file, several hands: two tabs, another program, a server that goes and comes back.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { launch, newPage } from './browser';
import { serve, type Served } from './serve';
import { editorText, fillBlank, openTask, runAll, saved } from './steps';

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

const kTask = '05-layernorm';
const withBlank = (text: string, code: string): string => text.replace(/(>>> blank variance[^\n]*\n)[\s\S]*?([ \t]*\/\/ <<<)/, `$1${code}\n$2`);

test('a second tab shows what the first one wrote', async () => {
  const one = (await newPage(browser)).page, two = (await newPage(browser)).page;
  await openTask(one, server.url, kTask);
  await openTask(two, server.url, kTask);
  await fillBlank(one, 'const float scale = 1.0f;');
  await saved(one);
  await two.locator('.cm-content', { hasText: 'const float scale = 1.0f;' }).waitFor();
  assert.match(server.read(kTask), /const float scale = 1\.0f;/);
  assert.equal(await two.locator('.conflict').count(), 0);
});

test('a file changed on disk is shown when nothing here is unsaved', async () => {
  const { page } = await newPage(browser);
  await openTask(page, server.url, kTask);
  server.write(kTask, withBlank(server.read(kTask), '  const float scale = 2.0f;'));
  await page.locator('.cm-content', { hasText: 'scale = 2.0f' }).waitFor();
});

for (const choice of ['Keep mine', 'Take the file'] as const) {
  test(`changed on disk and here: ${choice}`, async () => {
    const { page } = await newPage(browser);
    await openTask(page, server.url, kTask);
    // Writes of the page are held back, so that there is something unsaved when the file changes.
    let held = true;
    await page.route('**/file', async (route) => (held && route.request().method() === 'PUT' ? route.abort() : route.continue()));
    await page.keyboard.press('Alt+b');
    await page.keyboard.type(' // mine');
    await page.locator('[data-status="failed"]').waitFor();
    server.write(kTask, withBlank(server.read(kTask), `  const float scale = 3.0f;  // theirs ${choice}`));
    await page.locator('.conflict').waitFor();
    held = false;
    await page.getByRole('button', { name: 'Show both' }).click();
    assert.match(await page.locator('.both').innerText(), /\/\/ mine[\s\S]*\/\/ theirs/);
    await page.getByRole('button', { name: choice }).click();
    await saved(page);
    const expected = choice === 'Keep mine' ? /\/\/ mine/ : /\/\/ theirs Take the file/;
    assert.match(server.read(kTask), expected);
    assert.match(await editorText(page), expected);
  });
}

test('a server that comes back finds what was typed meanwhile', async () => {
  const { page } = await newPage(browser);
  await openTask(page, server.url, kTask);
  await server.end();
  await page.keyboard.press('Alt+b');
  await page.keyboard.type(' // typed without a server');
  await page.locator('[data-status="failed"]').waitFor();
  await server.again();
  await saved(page); // tried again without a further key
  assert.match(server.read(kTask), /typed without a server/);
});

test('a file that was deleted is asked about before a run, and what the page shows is not lost', async () => {
  const { page } = await newPage(browser);
  await openTask(page, server.url, kTask);
  await fillBlank(page, 'const float scale = 2.0f;');
  await saved(page);
  rmSync(server.file(kTask));
  await page.keyboard.press('Control+Enter');
  await page.getByText('The file on disk is gone.').waitFor();
  assert.match(await editorText(page), /scale = 2\.0f/);
  await page.getByRole('button', { name: 'Keep mine' }).click();
  await saved(page);
  assert.match(server.read(kTask), /scale = 2\.0f/);
});

test('a file with CR LF keeps its line ends', async () => {
  const { page } = await newPage(browser);
  await openTask(page, server.url, kTask);
  await fillBlank(page, 'const float scale = 2.0f;');
  await saved(page);
  server.write(kTask, server.read(kTask).replace(/\n/g, '\r\n'));
  await page.reload();
  await page.locator('.cm-content').waitFor();
  await fillBlank(page, 'const float scale = 2.5f;');
  await page.keyboard.press('Enter');
  await page.keyboard.type('// a second line');
  await saved(page);
  const text = server.read(kTask);
  assert.match(text, /scale = 2\.5f;\r\n[ \t]*\/\/ a second line\r\n/);
  assert.equal(text.split('\n').length, text.split('\r\n').length);
  server.write(kTask, text.replace(/\r/g, ''));
});

test('an old verdict on a changed text says so, until the text is the judged one again', async () => {
  server.begin(kTask, 'solution.cu');
  const { page } = await newPage(browser);
  await openTask(page, server.url, kTask);
  await runAll(page);
  const stale = page.getByText('This verdict is of an earlier text');
  assert.equal(await stale.count(), 0);
  await page.keyboard.press('Alt+b');
  await page.keyboard.type(' ');
  await stale.waitFor();
  await saved(page);
  await page.reload();
  await stale.waitFor(); // also of a verdict that was found again
  await page.keyboard.press('Alt+b');
  await page.keyboard.press('Backspace');
  await stale.waitFor({ state: 'detached' });
});

for (const reload of [false, true]) {
  test(`a server that is ended in the middle of a run: the page${reload ? ', opened again,' : ''} says so, and one key runs again`, async () => {
    server.sleeper(); // a run that does not end by itself, however fast the machine
    const { page } = await newPage(browser);
    await openTask(page, server.url, 'row-softmax');
    await page.keyboard.press('Control+Enter');
    await page.locator('[data-phase="judging"]').waitFor({ timeout: 60_000 });
    await server.end();
    await server.again();
    if (reload) await page.reload();
    await page.locator('[data-phase="interrupted"]').waitFor({ timeout: 30_000 });
    await page.getByText('The server was ended in the middle of a run').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.locator('[data-phase="judging"]').waitFor({ timeout: 60_000 });
    await page.locator('#run-button').click(); // now it cancels
    await page.locator('#run-button', { hasText: 'Run' }).waitFor({ timeout: 30_000 });
    await page.close();
  });
}
