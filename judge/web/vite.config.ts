// The build of the pages. Three things differ from Vite's defaults: fonts of KaTeX only as woff2 (every browser that the pages run in
// reads it), no file inlined as data: (the content security policy of the server forbids fonts from there), and development answers
// come from a running `judge serve`.
import { svelte, vitePreprocess } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';

/// Drops the woff and ttf alternatives from KaTeX's stylesheet.
const woff2Only: Plugin = {
  name: 'woff2-only',
  enforce: 'pre',
  transform(code, id) {
    if (!/katex.*\.css$/.test(id)) return null;
    return code.replace(/,\s*url\([^)]*\.(woff|ttf)\)\s*format\("(woff|truetype)"\)/g, '');
  },
};

export default defineConfig({
  plugins: [woff2Only, svelte({ preprocess: vitePreprocess() })],
  build: {
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0,
    manifest: true,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
  },
  server: { fs: { allow: ['..'] }, proxy: { '/api': process.env.WARPBOOK_SERVER ?? 'http://127.0.0.1:8787' } },
});
