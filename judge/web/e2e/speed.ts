// How soon map and lesson can be used, best of five with an empty cache each. A figure of a machine that has nothing else to do, so no test.
import { launch, newPage } from './browser';
import { serve } from './serve';

const kTries = 5;
const server = await serve();
const browser = await launch();
for (const [path, sign] of [
  ['/', '.panel.next a'],
  ['/tasks/05-layernorm', '.cm-content'],
] as const) {
  const times: number[] = [];
  for (let n = 0; n < kTries; ++n) {
    const { page } = await newPage(browser);
    const begin = performance.now();
    await page.goto(server.url + path, { waitUntil: 'commit' });
    await page.locator(sign).waitFor();
    times.push(Math.round(performance.now() - begin));
    await page.context().close();
  }
  console.log(`${path}: best ${Math.min(...times)} ms of ${times.join(', ')}`);
}
await browser.close();
await server.remove();
