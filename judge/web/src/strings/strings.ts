// The words of the chosen language; in a component: `const t = $derived(strings())`.
import type { Strings } from './en';
import { tables } from './tables.svelte';

export const strings = (): Strings => tables.now;
