// What the reader chose and the browser remembers: language, colours, and two habits. A browser that forbids storage forgets them, nothing
// else changes.

import { recall, remember } from './memory';

export type Lang = 'en' | 'zh';
export type Theme = 'auto' | 'light' | 'dark';

class Settings {
  lang: Lang = $state((recall('lang') ?? (navigator.language.startsWith('zh') ? 'zh' : 'en')) === 'zh' ? 'zh' : 'en');
  theme: Theme = $state((recall('theme') as Theme | null) ?? 'auto');
  /// Runs count per line.
  meters: boolean = $state(recall('meters') === 'yes');
  /// The single key ? opens the help sheet; whoever dictates can switch it off (WCAG 2.1.4).
  singleKey: boolean = $state(recall('single-key') !== 'no');

  /// Keeps the document and the memory of the browser in step; call it inside an effect root.
  keep(): void {
    $effect(() => {
      document.documentElement.lang = this.lang === 'zh' ? 'zh-Hans' : 'en';
      remember('lang', this.lang);
    });
    $effect(() => {
      if (this.theme === 'auto') delete document.documentElement.dataset.theme;
      else document.documentElement.dataset.theme = this.theme;
      remember('theme', this.theme);
    });
    $effect(() => remember('meters', this.meters ? 'yes' : 'no'));
    $effect(() => remember('single-key', this.singleKey ? 'yes' : 'no'));
  }
}

export const settings = new Settings();
