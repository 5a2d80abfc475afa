// POST /api/tasks/{id}/traces: one block of one case, recorded step by step (judge/trace/README.md, "The data").
import type { Recording } from '../../../trace/viewer/stream.js';
import { ApiError, ofTask, post, remove } from './client';
import type { Result } from './result';

export type { Recording };

export interface TraceWish {
  case: string;
  /// A number, or x, y, z; the server takes the block that fails, else the first.
  block?: number | [number, number, number];
  /// Warp steps of the block to skip: the next window of a long one.
  from?: number;
}

export const trace = (id: string, wish: TraceWish, lang: string): Promise<Recording> => post(ofTask(id, '/traces'), wish, { lang });
/// Takes back what is being recorded of this task; whoever asked for it is answered with the code "cancelled".
export const cancelTraces = (id: string): Promise<unknown> => remove(ofTask(id, '/traces'));
/// The result that comes with the refusal of a file that does not compile, or was changed outside its blanks.
export const refusalIn = (error: unknown): Result | null =>
  (error instanceof ApiError && (error.code === 'not-compiled' || error.code === 'not-judged') && (error.body as { result?: Result } | null)?.result) || null;
