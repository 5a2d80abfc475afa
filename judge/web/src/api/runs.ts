// Runs: begun by POST, followed by events that are replayed from the start, ended by DELETE.
import { get, ofTask, post, remove } from './client';
import { listen } from './events';
import type { CaseResult, Result } from './result';

export type RunState = 'queued' | 'running' | 'ended' | 'cancelled' | 'failed';

export interface Run {
  run: string;
  task: string;
  state: RunState;
  position: number; ///< runs before it
  result?: Result;
}

export interface RunWish {
  cases?: string[];
  meters?: boolean;
}

export interface RunEvents {
  queued(position: number): void;
  started(): void;
  compiled(seconds: number): void;
  case(result: CaseResult): void;
  advice(doing: string): void;
  result(result: Result): void;
  failed(message: string): void;
  cancelled(): void;
  /// The stream ended before the run did.
  lost(): void;
}

export const begin = (id: string, wish: RunWish, lang: string): Promise<{ run: string }> => post(ofTask(id, '/runs'), wish, { lang });
/// `interrupted`: the latest attempt was begun by a server that was ended before it could judge it.
export const runs = (id: string): Promise<{ runs: Run[]; interrupted?: { attempt: number; started_ms: number } | null }> => get(ofTask(id, '/runs'));
export const run = (name: string): Promise<Run> => get(`/api/runs/${encodeURIComponent(name)}`);
export const cancel = (name: string): Promise<unknown> => remove(`/api/runs/${encodeURIComponent(name)}`);

/// Follows a run; the stream closes itself at its last event.
export function follow(name: string, on: RunEvents): () => void {
  const last = (handle: () => void): void => {
    stop();
    handle();
  };
  const stop = listen(
    `/api/runs/${encodeURIComponent(name)}/events`,
    {
      queued: (data) => on.queued((data as { position: number }).position),
      started: () => on.started(),
      compiled: (data) => on.compiled((data as { seconds: number }).seconds),
      case: (data) => on.case(data as CaseResult),
      advice: (data) => on.advice((data as { doing: string }).doing),
      result: (data) => last(() => on.result(data as Result)),
      failed: (data) => last(() => on.failed((data as { message: string }).message)),
      cancelled: () => last(() => on.cancelled()),
    },
    () => last(() => on.lost()),
  );
  return stop;
}
