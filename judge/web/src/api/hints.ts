// Hints: asking for one records it, as `judge hint` does.
import { get, ofTask, post } from './client';

export interface Hint {
  blank: string;
  level: number;
  of: number;
  html: string;
}

export const hints = (id: string, lang: string): Promise<{ hints: Hint[] }> => get(ofTask(id, '/hints'), { lang });
export const nextHint = (id: string, blank: string, lang: string): Promise<Hint> => post(ofTask(id, '/hints'), { blank }, { lang });
