// The table of words that is shown. Only the chosen language is loaded: both would be a third of what the map loads.
import type { Lang } from '../lib/settings.svelte';
import type { Strings } from './en';

const kTables: Record<Lang, () => Promise<Strings>> = {
  en: async () => (await import('./en')).en,
  zh: async () => (await import('./zh')).zh,
};

class Tables {
  /// There before the first page is drawn (main.ts).
  now: Strings = $state.raw(undefined as unknown as Strings);
  #wanted: Lang | null = null;

  /// The words of a language; those of before stay until they have come, or when they cannot.
  async show(lang: Lang): Promise<void> {
    this.#wanted = lang;
    try {
      const table = await kTables[lang]();
      if (this.#wanted === lang) this.now = table;
    } catch (error) {
      if (!this.now) throw error;
    }
  }
}

export const tables = new Tables();
