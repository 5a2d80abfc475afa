// An error as a sentence in the reader's language.
import { ApiError } from '../api/client';
import { strings } from '../strings/strings';

export function problem(error: unknown): string {
  const t = strings();
  if (error instanceof ApiError && error.code === 'offline') return t.errors.offline;
  if (error instanceof ApiError && error.code === 'no-database') return t.errors.noDatabase;
  if (error instanceof ApiError && error.status === 429) return t.errors.later(error.message, error.retryAfter);
  return t.errors.other(error instanceof Error ? error.message : String(error));
}
