// How many compressed bytes of JavaScript each page loads: its chunk and all that the chunk imports, from the build's own manifest.
// Words are those of one language (English: Chinese is as long). Fails when a page is over the limit of 350 kB (gzip).
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const kLimit = 350_000;
const dist = new URL('../dist/', import.meta.url).pathname;
const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8'));

/// The files that a chunk (by its key or its name) and its static imports are made of.
function files(name, seen = new Set()) {
  const chunk = manifest[name] ?? Object.values(manifest).find((c) => c.name === name && c.file.endsWith('.js'));
  if (seen.has(chunk.file)) return seen;
  seen.add(chunk.file);
  for (const next of chunk.imports ?? []) files(next, seen);
  return seen;
}

const pages = {
  map: ['index.html', 'en', 'MapPage'],
  lesson: ['index.html', 'en', 'TaskPage', 'formulas', 'static_code'],
  'sign-in': ['index.html', 'en', 'ClassPages', 'SignIn'],
  progress: ['index.html', 'en', 'ClassPages', 'MatrixPage'],
  people: ['index.html', 'en', 'ClassPages', 'PeoplePage'],
  submission: ['index.html', 'en', 'ClassPages', 'SubmissionPage'],
  statistics: ['index.html', 'en', 'ClassPages', 'StatisticsPage'],
};
let bad = 0;
for (const [page, roots] of Object.entries(pages)) {
  const all = new Set();
  for (const root of roots) for (const file of files(root)) all.add(file);
  const sum = (end) => [...all].reduce((total, file) => total + statSync(join(dist, file + end)).size, 0);
  const gzip = sum('.gz');
  if (gzip > kLimit) bad = 1;
  console.log(`${page.padEnd(10)} ${all.size} files  gzip ${(gzip / 1000).toFixed(1)} kB  brotli ${(sum('.br') / 1000).toFixed(1)} kB  limit ${kLimit / 1000} kB`);
}
process.exit(bad);
