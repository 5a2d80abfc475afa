// All words of the chosen language, with those that are loaded late.
import { settings } from '../lib/settings.svelte';
import type { Strings } from './en';
import { moreEn, type More } from './more_en';
import { moreZh } from './more_zh';
import { strings } from './strings';

export const moreStrings = (): Strings & More => ({ ...strings(), ...(settings.lang === 'zh' ? moreZh : moreEn) });
