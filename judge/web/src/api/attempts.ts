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
  /// Of the same case: what a roofline needs. `sectors` are those asked for; `least_sectors` each once, known with counts per line.
  counts: { warp_instructions: number; sectors: number; least_sectors: number | null } | null;
}

/// The roofs of the device that runs are made on, and the least that its case must move.
export interface Roofline {
  device: string;
  like: string;
  warp_instructions_per_second: number;
  sectors_per_second: number;
  case: string;
  least_sectors: number;
}

export const attempts = (id: string): Promise<{ attempts: Attempt[]; roofline: Roofline | null }> => get(ofTask(id, '/attempts'));
export const attempt = (number: number): Promise<Result> => get(`/api/attempts/${number}`);
