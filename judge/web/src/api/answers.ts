// Questions and what an answer earned.
import { ofTask, put } from './client';

export interface Choice {
  id: string;
  html: string;
}

export interface Question {
  id: string;
  kind: 'order' | 'predict' | 'choice' | 'text' | 'explain' | 'explanation';
  points: number;
  prompt_html: string;
  steps?: Choice[];
  options?: Choice[];
  /// How many options are to be chosen.
  choose?: number;
  /// As it stands in the answers file: letters of steps or options between spaces ("c a b"), else the text.
  answer: string | null;
}

export interface Graded {
  id: string;
  points: number;
  of: number;
  right: boolean;
  answered: boolean;
  provisional: boolean;
  message_html: string;
  misconception_html: string;
  veto_html?: string; ///< why the answer costs more than its points
}

/// Right, partly right, not answered, wrong.
export const signOf = (g: Graded): string => (g.right ? '✓' : g.points > 0 ? '◐' : g.answered ? '✗' : '–');

export type Answers = Record<string, string>;

/// The letters of an answer.
export const letters = (answer: string | null): string[] => answer?.toLowerCase().match(/[a-z]/g) ?? [];

export const answer = (id: string, answers: Answers, lang: string): Promise<{ answers: Graded[]; points: number; of: number }> =>
  put(ofTask(id, '/answers'), { answers }, { lang });
