// POST /api/tasks/{id}/traces: one block of one case, recorded step by step (judge/trace/README.md, "The data").
import type { Recording } from '../../../trace/viewer/stream.js';
import { ofTask, post } from './client';

export type { Recording };

export interface TraceWish {
  case: string;
  /// A number, or x, y, z; the server takes the block that fails, else the first.
  block?: number | [number, number, number];
  /// Warp steps of the block to skip: the next window of a long one.
  from?: number;
}

export const trace = (id: string, wish: TraceWish, lang: string): Promise<Recording> => post(ofTask(id, '/traces'), wish, { lang });
