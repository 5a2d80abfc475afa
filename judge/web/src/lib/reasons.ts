// Sentences of the judge that have a code, in Chinese: reasons of a verdict and kinds of faults. The server says them in English, with the
// figures of the case; in Chinese pages the translation stands above that. Null: the server's own words are all there is to show.
import { settings } from './settings.svelte';
import { kFaults, kReasons } from '../strings/judged_zh';

const of = (table: Record<string, string>, code: string): string | null => (settings.lang === 'zh' ? (table[code] ?? null) : null);

export const reasonSentence = (code: string): string | null => of(kReasons, code);
export const faultName = (kind: string): string | null => of(kFaults, kind);
