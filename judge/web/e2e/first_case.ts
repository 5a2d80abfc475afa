// Time from the click on Run to the first case's verdict in the page, beside `judge run` in the terminal: a file never compiled before,
// in pairs that take turns to be first. A figure of a machine that has nothing else to do, so no test.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { launch, newPage } from './browser';
import { program, serve } from './serve';
import { fillBlank, kGood, openTask, saved } from './steps';

const kPairs = 15;
const kTask = '05-layernorm';
/// A statement that does nothing, another one each time, so that nothing finds the file compiled.
const mark = (n: number): string => ` static_cast<void>(${n});`;

async function inPage(page: Page, n: number): Promise<number> {
  await fillBlank(page, mark(n));
  await saved(page);
  return page.evaluate(async () => {
    const begin = performance.now();
    document.querySelector<HTMLButtonElement>('#run-button')!.click();
    let earlier = true; // the chips of the run before, until this one begins
    for (let there = true; earlier || !there; earlier &&= there) {
      await new Promise(requestAnimationFrame);
      there = document.querySelector('[data-verdict="AC"]:not(.old)') !== null;
    }
    return performance.now() - begin;
  });
}

function inTerminal(home: string, file: string): Promise<number> {
  const begin = performance.now();
  const child = spawn(program(), ['run', kTask, file], { env: { ...process.env, WARPBOOK_HOME: home }, stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  let first = 0;
  child.stdout.on('data', (data: Buffer) => {
    said += data.toString();
    if (!first && /^ +ok +plain/m.test(said)) first = performance.now() - begin;
  });
  return new Promise((done, failed) => child.on('close', () => (first ? done(first) : failed(new Error(`no verdict in: ${said}`)))));
}

const median = (values: number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;
const server = await serve();
const browser = await launch();
const { page } = await newPage(browser);
await openTask(page, server.url, kTask);
await fillBlank(page, kGood);
await saved(page);
const source = server.read(kTask);
const copy = join(server.home, 'first-case.cu');
const pages: number[] = [];
const terminals: number[] = [];
for (let n = 0; n < kPairs; ++n) {
  const clicked = async (): Promise<number> => pages.push(await inPage(page, n));
  const typed = async (): Promise<number> => {
    writeFileSync(copy, source.replace(kGood.split('\n')[1] ?? '', (line) => line + mark(1000 + n)));
    return terminals.push(await inTerminal(server.home, copy));
  };
  for (const way of n % 2 ? [clicked, typed] : [typed, clicked]) await way();
  await page.locator('#run-button:not([disabled])', { hasText: /Run/ }).waitFor();
}
console.log(`click to first case ${median(pages).toFixed(0)} ms, judge run ${median(terminals).toFixed(0)} ms (medians of ${kPairs}); ratio ${(median(pages) / median(terminals)).toFixed(2)}`);
console.log(`pairs: ${pages.map((time, n) => (time / (terminals[n] ?? NaN)).toFixed(2)).join(' ')}`);
await browser.close();
await server.remove();
