// GET /api/tasks/{id}: all that a lesson's page shows.
import { get, ofTask } from './client';
import type { Question } from './answers';
import type { FileText } from './file';

export interface Blank {
  name: string;
  scope: string;
  lines: number;
}

export interface CaseInfo {
  name: string;
  kind: 'normal' | 'boundary';
  about: string;
  rows: number;
  cols: number;
}

export interface TaskDetail {
  id: string;
  kind: 'lesson' | 'exercise';
  title: string;
  level: number;
  html: string;
  blanks: Blank[];
  cases: CaseInfo[];
  questions: Question[];
  explanation: Question | null;
  /// Why the answers file cannot be read.
  answers_trouble?: string;
  hints: { blank: string; level: number; of: number }[];
  solution_open: boolean;
  file: FileText;
  attempts: number;
}

let early: { id: string; lang: string; detail: Promise<TaskDetail> } | null = null;

/// Asks for a task while the page that will show it is still on its way.
export function prefetch(id: string, lang: string): void {
  if (early?.id === id && early.lang === lang) return;
  const detail = get<TaskDetail>(ofTask(id), { lang });
  detail.catch(() => undefined); // whoever takes it hears of it
  early = { id, lang, detail };
}

export function task(id: string, lang: string): Promise<TaskDetail> {
  const asked = early?.id === id && early.lang === lang ? early.detail : null;
  early = null; // an answer is good once: later ones may differ
  return asked ?? get(ofTask(id), { lang });
}
