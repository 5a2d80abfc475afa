// The words of the language that is chosen.
import { moment as at } from '../../lib/format';
import { settings } from '../../lib/settings.svelte';
import { en, type Words } from './en';
import { zh } from './zh';

export const words = (): Words => (settings.lang === 'zh' ? zh : en);

/// A moment as the reader writes it.
export const moment = (ms: number): string => at(ms, settings.lang);
