// What the verdict panel needs of whoever shows a result: the page of a task, where it can be run again, and an instructor's page, where it
// cannot.
import type { CaseInfo } from '../api/tasks';
import type { RunSession } from './run.svelte';

export interface Evidence {
  readonly detail: { cases: CaseInfo[] };
  readonly run: RunSession;
  /// The case that is open.
  chosen: string | null;
  readonly failed: string[];
  /// Only some cases were judged.
  readonly partial: boolean;
  /// The result is of another text than the one shown.
  readonly stale: boolean;
  goToLine(line: number): void;
  startRun?(cases?: string[]): Promise<void>;
  open?(tab: 'questions'): void;
}
