import type { Model } from './stream.js';

export interface Group {
  warp: number;
  first: number;
  last: number;
  events: number[];
  place: [file: number, line: number];
  mask: number;
}

export class Lines {
  constructor(model: Model, wishes: { into: boolean; single: boolean });
  readonly groups: Group[];
  readonly ofWarp: number[][];
  readonly groupOf: number[];
  readonly visits: Map<number, number[]>[];
  at(event: number): Group;
  current(warp: number, t: number): Group | undefined;
  neighbour(warp: number, t: number, by: number, follow: boolean): Group | undefined;
  first(warp: number, follow: boolean): Group | undefined;
  last(warp: number, follow: boolean): Group | undefined;
  name(event: number): string;
}
