// Answers that were typed and not handed in yet: the browser keeps them, so that a closed tab loses nothing.
import type { Answers } from '../api/answers';
import { forget, recall, remember } from './memory';

const key = (task: string): string => `draft.${task}`;

export function draftOf(task: string): Answers {
  try {
    const kept: unknown = JSON.parse(recall(key(task)) ?? '{}');
    if (typeof kept !== 'object' || kept === null) return {};
    return Object.fromEntries(Object.entries(kept).filter(([, value]) => typeof value === 'string')) as Answers;
  } catch {
    return {}; // Somebody else's: as if nothing had been typed.
  }
}

export const keepDraft = (task: string, answers: Answers): void => remember(key(task), JSON.stringify(answers));
export const dropDraft = (task: string): void => forget(key(task));
