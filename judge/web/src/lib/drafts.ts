// What was typed and is not on the server yet: the browser keeps it, so that a closed tab or a session that ended loses nothing. Drafts are
// called by their owner and the task (`TaskState.draft`), because several people may use one browser.
import type { Answers } from '../api/answers';
import type { FileChange } from '../api/file';
import { forget, recall, remember } from './memory';

/// What is remembered under a key, if `fits` says that it is what it should be; somebody else's is as if there were nothing.
function kept<T>(key: string, fits: (value: Record<string, unknown>) => T | null): T | null {
  try {
    const value: unknown = JSON.parse(recall(key) ?? 'null');
    return typeof value === 'object' && value !== null ? fits(value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

const ofAnswers = (name: string): string => `draft.${name}`;
const onlyTexts = (value: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));

export const draftOf = (name: string): Answers => kept(ofAnswers(name), onlyTexts) ?? {};
export const keepDraft = (name: string, answers: Answers): void => remember(ofAnswers(name), JSON.stringify(answers));
export const dropDraft = (name: string): void => forget(ofAnswers(name));

/// A change of a file that did not get through, and the version it began from.
export interface CodeDraft {
  base: string;
  change: FileChange;
}

const ofCode = (name: string): string => `code.${name}`;

export const codeDraftOf = (name: string): CodeDraft | null =>
  kept(ofCode(name), ({ base, change }) => {
    if (typeof base !== 'string' || typeof change !== 'object' || change === null) return null;
    const { text, blanks } = change as { text?: unknown; blanks?: unknown };
    if (typeof text === 'string') return { base, change: { text } };
    return typeof blanks === 'object' && blanks !== null ? { base, change: { blanks: onlyTexts(blanks as Record<string, unknown>) } } : null;
  });
export const keepCode = (name: string, draft: CodeDraft): void => remember(ofCode(name), JSON.stringify(draft));
export const dropCode = (name: string): void => forget(ofCode(name));
