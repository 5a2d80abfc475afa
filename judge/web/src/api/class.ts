// What only instructors may ask: people, progress, one submission, statistics, rejudging.
import type { Attempt } from './attempts';
import { download, get, post, put, remove } from './client';
import { listen } from './events';
import type { Result, Verdict } from './result';
import type { Person, Role } from './session';

export interface Member extends Person {
  joined: boolean; ///< has chosen a password
  last_seen_ms: number | null;
}

export interface Invited {
  login: string;
  name: string;
  role: Role;
  link: string;
  expires_ms: number;
}

export interface Override {
  points: number;
  reason: string;
  by: number; ///< whose, as a number of a person
  set_ms: number;
}

export interface Cell {
  task: string;
  attempts: number;
  best_points: number;
  points: number; ///< what counts: the override, else the best
  passed: boolean;
  medal: boolean;
  provisional: boolean; ///< points of an explanation wait for a person
  override: Override | null;
}

export interface ProgressRow {
  id: number;
  login: string;
  name: string;
  total: number;
  cells: Cell[];
}

export interface Progress {
  tasks: { id: string; title: string }[];
  people: ProgressRow[];
}

/// One step of an override's history; `points` is null where it was lifted.
export interface OverrideStep {
  points: number | null;
  reason: string;
  by_name: string;
  set_ms: number;
}

export interface GivenAnswer {
  question: string;
  answer: string;
  points: number;
  of: number;
  misconception: string;
}

export interface Submission {
  person: { id: number; login: string; name: string };
  task: string;
  cell: Cell;
  attempts: Attempt[];
  answers: GivenAnswer[];
  explanation: GivenAnswer | null;
  overrides: OverrideStep[];
}

export interface Evidence {
  person: { id: number; login: string; name: string };
  task: string;
  source: string | null; ///< null: an attempt from before sources were kept
  result: Result | null; ///< null: judging did not end
}

export interface Statistics {
  task: string;
  learners: number;
  verdicts: Partial<Record<Verdict, number>>;
  cases: { name: string; kind: 'normal' | 'boundary'; about: string; ran: number; failed: number }[];
  mistakes: { name: string; sentence: string; count: number }[];
  reasons: { code: string; sentence: string; count: number }[];
  misconceptions: { text: string; count: number }[];
}

export interface Change {
  person: number;
  name: string;
  before: { verdict: Verdict; points: number };
  after: { verdict: Verdict; points: number };
  failed_now: string[];
  recorded: boolean;
}

export interface Rejudge {
  state: 'running' | 'ended' | 'cancelled' | 'applied';
  done: number;
  of: number;
  changes: Change[];
  troubles: { person: number; name: string; message: string }[]; ///< who could not be judged again, or stands elsewhere by now
}

const kClass = '/api/class';
const ofPerson = (person: number, rest = ''): string => `${kClass}/people/${person}${rest}`;
const ofSubmission = (person: number, task: string, rest = ''): string => ofPerson(person, `/tasks/${encodeURIComponent(task)}${rest}`);
const ofRejudge = (name: string, rest = ''): string => `${kClass}/rejudges/${encodeURIComponent(name)}${rest}`;

export const people = (): Promise<{ people: Member[] }> => get(`${kClass}/people`);
export const inviteRoster = (csv: string): Promise<{ invited: Invited[]; unchanged: number }> => post(`${kClass}/roster`, { csv });
export const inviteAgain = (person: number): Promise<{ link: string; expires_ms: number }> => post(ofPerson(person, '/invitation'));
export const removePerson = (person: number): Promise<unknown> => remove(ofPerson(person));

export const progress = (): Promise<Progress> => get(`${kClass}/progress`);
export type GradebookFormat = 'csv' | 'gradescope' | 'lms';
export const gradebook = (format: GradebookFormat): Promise<{ name: string; file: Blob }> => download(`${kClass}/gradebook`, { format });

export const submission = (person: number, task: string): Promise<Submission> => get(ofSubmission(person, task));
export const evidence = (attempt: number): Promise<Evidence> => get(`${kClass}/attempts/${attempt}`);
export const setOverride = (person: number, task: string, points: number, reason: string): Promise<Cell> => put(ofSubmission(person, task, '/override'), { points, reason });
export const liftOverride = (person: number, task: string, reason: string): Promise<unknown> => remove(ofSubmission(person, task, '/override'), { reason });

export const statistics = (task: string): Promise<Statistics> => get(`${kClass}/statistics/${encodeURIComponent(task)}`);
export const beginRejudge = (task: string): Promise<{ rejudge: string }> => post(`${kClass}/rejudges`, { task });
export const rejudge = (name: string): Promise<Rejudge> => get(ofRejudge(name));
export const applyRejudge = (name: string): Promise<unknown> => post(ofRejudge(name, '/apply'));
export const cancelRejudge = (name: string): Promise<unknown> => remove(ofRejudge(name));

/// Follows a rejudge until the function that comes back is called. The stream says that there is news; what it is, is asked for.
export function followRejudge(name: string, news: () => void): () => void {
  return listen(ofRejudge(name, '/events'), { progress: news, change: news, trouble: news, ended: news }, news);
}
