// Writes FILE.gz and FILE.br beside every text file of dist, so that the server never compresses while somebody waits.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const dist = new URL('../dist/', import.meta.url).pathname;
for (const name of readdirSync(dist, { recursive: true })) {
  if (!/\.(js|css|html|svg)$/.test(name)) continue;
  const text = readFileSync(join(dist, name));
  writeFileSync(join(dist, `${name}.gz`), gzipSync(text, { level: 9 }));
  writeFileSync(join(dist, `${name}.br`), brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
}
