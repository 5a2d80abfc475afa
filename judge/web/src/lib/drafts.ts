// Answers that were typed and not handed in yet: the browser keeps them, so that a closed tab loses nothing.
import type { Answers } from '../api/answers';

const place = (task: string): string => `warpbook.draft.${task}`;

export function draftOf(task: string): Answers {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(place(task)) ?? '{}');
    if (typeof kept !== 'object' || kept === null) return {};
    return Object.fromEntries(Object.entries(kept).filter(([, value]) => typeof value === 'string')) as Answers;
  } catch {
    return {}; // No storage, or somebody else's: as if nothing had been typed.
  }
}

export function keepDraft(task: string, answers: Answers): void {
  try {
    localStorage.setItem(place(task), JSON.stringify(answers));
  } catch {
    // Not kept.
  }
}

export function dropDraft(task: string): void {
  try {
    localStorage.removeItem(place(task));
  } catch {
    // Nothing was kept.
  }
}
