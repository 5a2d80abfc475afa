// GET /api/workbook: all parts and tasks with the learner's progress.
import { get } from './client';

export type TaskState = 'passed' | 'begun' | 'open' | 'waiting';

export interface Progress {
  attempts: number;
  best_points: number;
  points_of: number;
  passed: boolean;
  medal: boolean;
  hint_level: number;
  solution_opened: boolean;
}

export interface TaskEntry {
  id: string;
  kind: 'lesson' | 'exercise';
  level: number;
  title: string;
  requires: string[];
  state: TaskState;
  /// What it waits for; null when it does not.
  why: string | null;
  progress: Progress;
}

export interface Workbook {
  version: string;
  language: string;
  toolkit: { nvcc: string | null };
  continue: string | null;
  troubles?: string[]; ///< manifests or a store that cannot be read
  parts: { title: string; tasks: TaskEntry[] }[];
}

export const workbook = (lang: string): Promise<Workbook> => get('/api/workbook', { lang });
