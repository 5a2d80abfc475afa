import type { Lines } from './lines.js';
import type { Access, Dim3, LaneValue, Model, Recording, Site, Word } from './stream.js';

export const WAITS_AT_BARRIER: number;
export const EXITED: number;
export const UNKNOWN_LANE: number;

export interface View {
  warp: number;
  t: number;
  group: number[];
  first: number;
  place: [file: number, line: number] | undefined;
  mask: number;
  active: number;
  existing: number;
}

export interface Row {
  name: string;
  type: string;
  about: string;
  lanes: (LaneValue | undefined)[];
  before: (LaneValue | undefined)[];
}

export interface WarpNow {
  state: number;
  barrier: number;
  last: number;
  runs: boolean;
}

export interface Failure {
  kind: string;
  message: string;
  instruction: string | undefined;
  block: Dim3;
  here: boolean;
  file: number;
  line: number;
}

export function lanesIn(mask: number): number[];
export function existingLanes(model: Model, warp: number): number;
export function viewOf(model: Model, lines: Lines, warp: number, t: number): View;
export function watchRows(model: Model, view: View): Row[];
export function registerRows(model: Model, view: View): Row[];
export function hasChanged(row: Row, lane: number): boolean;
export function sharedType(model: Model): 'f32' | 's32';
export function touchedWords(model: Model, view: View): { touched: Set<number>; last: number };
export function isWrittenNow(model: Model, word: Word, view: View): boolean;
export function warpsAt(model: Model, t: number): WarpNow[];
export function waiting(warps: WarpNow[]): { alive: number; barriers: { barrier: number; warps: number[] }[] };
export function accessesOf(model: Model, view: View): { access: Access; site: Site; name: string }[];
export function failureOf(data: Recording): Failure | undefined;
