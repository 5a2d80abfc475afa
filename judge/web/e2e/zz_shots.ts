
import { launch, newPage } from './browser';
import { serve } from './serve';
import { takeTrace } from './trace_pictures';
const server = await serve();
const browser = await launch();
try {
for (const theme of ['light','dark'] as const) {
  const { page, errors } = await newPage(browser, { colorScheme: theme, viewport: { width: 1280, height: 860 } });
  await takeTrace(page, server, async (name) => { await page.waitForTimeout(250); await page.screenshot({ path: `/work/main/docs/screens/${name}-${theme}.png` }); });
  console.log(errors);
}
} finally { await browser.close(); await server.remove(); }
