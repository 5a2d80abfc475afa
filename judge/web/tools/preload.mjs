// What a page's first sight needs is named in its HTML, so that a browser asks for all of it at once instead of finding one file through
// another: index.html names the map's code, tasks.html (which the server gives below /tasks/) that of lessons and open problems.
import { readFileSync, writeFileSync } from 'node:fs';

const dist = new URL('../dist/', import.meta.url);
const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', dist), 'utf8'));
const index = readFileSync(new URL('index.html', dist), 'utf8');

/// The files that come with the chunk `name` before it can run.
function filesOf(name) {
  const first = Object.keys(manifest).find((key) => manifest[key].name === name);
  if (!first) throw new Error(`the build holds no chunk named ${name}: was the page renamed?`);
  const scripts = new Set(), styles = new Set();
  const visit = (key) => {
    const chunk = manifest[key];
    if (scripts.has(chunk.file)) return;
    scripts.add(chunk.file);
    chunk.css?.forEach((file) => styles.add(file));
    chunk.imports?.forEach(visit);
  };
  visit(first);
  return { scripts, styles };
}

function write(page, name) {
  const { scripts, styles } = filesOf(name);
  const links = [
    ...[...scripts].filter((file) => !index.includes(file)).map((file) => `    <link rel="modulepreload" crossorigin href="/${file}">\n`),
    ...[...styles].filter((file) => !index.includes(file)).map((file) => `    <link rel="stylesheet" crossorigin href="/${file}">\n`),
  ];
  writeFileSync(new URL(page, dist), index.replace('  </head>', `${links.join('')}  </head>`));
}

write('index.html', 'MapPage');
write('tasks.html', 'TaskPage');
