// Types of stream.js, and of the data that it reads (../README.md, "The data").
export type Dim3 = [number, number, number];

export interface Site {
  ptx: string;
  op: string;
  at: [file: number, line: number, name: string][];
}

export interface Recording {
  version: number;
  task: string;
  case: { name: string; about: string; rows: number; cols: number };
  verdict: { code: string; message: string };
  fault?: { kind: string; message: string; instruction?: string; block: Dim3 | { x: number; y: number; z: number }; frames: { line: number; number?: number }[] };
  kernel: string;
  launch: [number: number, all: number];
  grid: Dim3;
  block: Dim3;
  index: Dim3;
  window: { first: number; kept: number; truncated: boolean };
  files: { name: string; text: string; own: boolean }[];
  sites: Site[];
  registers: { name: string; type: string; watch: number[] }[];
  watches: { name: string; type: string; function: string }[];
  regions: { name: string; bytes: number }[];
  shared: { name: string; at: number; bytes: number }[];
  stream: string;
}

export interface Access {
  space: 'global' | 'shared' | 'local';
  reads: boolean;
  writes: boolean;
  region: number;
  bytes: number;
  /// A mask; `at` has an offset for each of them.
  lanes: number;
  readonly at: number[];
}

export interface Event {
  warp: number;
  site: number;
  mask: number;
  active: number;
  values: { reg: number; lanes: number; undefinedLanes: number; readonly bits: (number | bigint)[] }[];
  accesses: Access[];
  words: { at: number; value: number; lane: number }[];
  states: { warp: number; state: number; barrier: number }[];
}

/// The value of a lane and the event it came with.
export interface LaneValue {
  bits: number | bigint;
  event: number;
  undefined: boolean;
}

export interface Word {
  event: number;
  warp: number;
  at: number;
  value: number;
  lane: number;
}

export function countUpTo<T>(list: T[], t: number, key?: (entry: T) => number): number;

export class Model {
  constructor(data: Recording);
  readonly data: Recording;
  readonly events: Event[];
  readonly warps: number;
  readonly threads: number;
  readonly ofWarp: number[][];
  watchAt(warp: number, watch: number, t: number): (LaneValue | undefined)[];
  registerAt(warp: number, reg: number, t: number): (LaneValue | undefined)[];
  wordAt(address: number, t: number): Word | undefined;
  warpAt(warp: number, t: number): { state: number; barrier: number; last: number };
}
