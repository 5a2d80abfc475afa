// The table of the chosen language; in a component: `const t = $derived(strings())`.
import { settings } from '../lib/settings.svelte';
import { en, type Strings } from './en';
import { zh } from './zh';

export const strings = (): Strings => (settings.lang === 'zh' ? zh : en);
