// What was tried before.
import { get, ofTask } from './client';
import type { CaseResult, Result } from './result';

export interface Attempt {
  id: number;
  started_ms: number;
  finished_ms: number | null;
  verdict: string | null; ///< null: it did not end
  points: number;
  passed: boolean;
  medal: boolean;
  /// The normal case with the most elements, and its passes.
  case: string | null;
  passes: CaseResult['passes'];
}

export const attempts = (id: string): Promise<{ attempts: Attempt[] }> => get(ofTask(id, '/attempts'));
export const attempt = (number: number): Promise<Result> => get(`/api/attempts/${number}`);
