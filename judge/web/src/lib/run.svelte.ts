// A run of a task as it happens. Events are replayed by the server from the start, so following a run that began in another tab, or before
// a reload, is the same as having begun it here.
import { ApiError } from '../api/client';
import { begin, cancel, follow, run, runs, type RunWish } from '../api/runs';
import type { CaseResult, Result } from '../api/result';
import { problem } from './problem';
import { settings } from './settings.svelte';

const kAgain = 1500; ///< until a server that let go of a stream, or does not answer, is asked

export type Phase = 'none' | 'sending' | 'queued' | 'compiling' | 'judging' | 'advice' | 'ended' | 'cancelled' | 'failed' | 'interrupted';

export class RunSession {
  phase: Phase = $state('none');
  position = $state(0);
  compiled: number | null = $state(null);
  doing = $state('');
  message = $state('');
  /// The server does not answer while a run goes.
  away = $state(false);
  /// The latest verdict of each case; `fresh` names those of this run.
  cases: Record<string, CaseResult> = $state.raw({});
  fresh: string[] = $state.raw([]);
  /// The latest result, of this run once it has ended.
  result: Result | null = $state.raw(null);
  /// Cases that were asked for, null for all.
  only: string[] | null = $state.raw(null);

  readonly busy = $derived(['sending', 'queued', 'compiling', 'judging', 'advice'].includes(this.phase));

  #name: string | null = null;
  #stop: (() => void) | null = null;
  #asked = false; ///< this page asked to cancel

  constructor(
    readonly id: string,
    private readonly ended: (result: Result | null) => void,
  ) {}

  async start(wish: RunWish): Promise<void> {
    if (this.busy) return;
    this.phase = 'sending';
    this.only = wish.cases ?? null;
    try {
      this.#follow((await begin(this.id, wish, settings.lang)).run);
    } catch (error) {
      this.#fail(problem(error));
    }
  }

  /// The run that goes on, or the latest that ended, after a reload; or that the server was ended in the middle of one.
  async find(): Promise<void> {
    let known: Awaited<ReturnType<typeof runs>>;
    try {
      known = await runs(this.id);
    } catch {
      return; // A server without memory of runs: nothing to find.
    }
    if (this.phase !== 'none') return;
    if (known.interrupted) {
      this.phase = 'interrupted';
      return;
    }
    const going = known.runs.find((r) => r.state === 'queued' || r.state === 'running');
    const last = known.runs.find((r) => r.state === 'ended');
    if (going) return this.#follow(going.run);
    const result = last?.result ?? (last ? (await run(last.run).catch(() => null))?.result : undefined);
    if (result && this.phase === 'none') this.#finish(result);
  }

  /// The stream of a run broke off for good: the run may go on, may be over, or the server that had it is gone.
  async #lost(name: string): Promise<void> {
    for (;;) {
      await new Promise((later) => setTimeout(later, kAgain));
      try {
        const now = await run(name);
        if (this.#name !== name || !this.busy) return;
        if (now.state === 'ended' && now.result) {
          this.#finish(now.result);
          this.ended(now.result);
        } else if (now.state === 'cancelled') this.#cancelled();
        else if (now.state === 'failed') this.#fail('');
        else this.#follow(name);
        return;
      } catch (error) {
        if (this.#name !== name || !this.busy) return;
        if (error instanceof ApiError && error.status === 404) return this.#interrupt();
        if (error instanceof ApiError && error.status >= 400 && error.status < 500) return this.#fail(problem(error));
        this.away = true; // The server does not answer; it may come back.
      }
    }
  }

  #cancelled(): void {
    this.away = false;
    this.phase = 'cancelled';
    this.ended(null);
  }

  #interrupt(): void {
    this.away = false;
    this.phase = 'interrupted';
    this.ended(null);
  }

  async cancel(): Promise<void> {
    if (!this.#name || !this.busy) return;
    this.#asked = true;
    try {
      await cancel(this.#name);
    } catch (error) {
      this.message = problem(error);
    }
  }

  /// Shows a result from the record.
  show(result: Result): void {
    if (this.busy) return;
    this.only = null;
    this.cases = {};
    this.#finish(result);
  }

  #follow(name: string): void {
    this.#stop?.();
    this.#name = name;
    this.#asked = false;
    this.phase = 'queued';
    this.position = 0;
    this.compiled = null;
    this.message = '';
    this.away = false;
    this.fresh = [];
    if (!this.only) this.cases = {};
    this.#stop = follow(name, {
      queued: (position) => (this.position = position),
      started: () => (this.phase = 'compiling'),
      compiled: (seconds) => {
        this.phase = 'judging';
        this.compiled = seconds;
      },
      case: (result) => {
        this.phase = 'judging';
        this.cases = { ...this.cases, [result.name]: result };
        if (!this.fresh.includes(result.name)) this.fresh = [...this.fresh, result.name];
      },
      advice: (doing) => {
        this.phase = 'advice';
        this.doing = doing;
      },
      result: (result) => {
        this.#finish(result);
        this.ended(result);
      },
      failed: (message) => this.#fail(message),
      lost: () => void this.#lost(name),
      // A server that is being ended cancels its runs, too; only who asked for it knows.
      cancelled: () => (this.#asked ? this.#cancelled() : void this.#lost(name)),
    });
  }

  #finish(result: Result): void {
    const cases = { ...this.cases };
    for (const c of result.cases) cases[c.name] = c;
    this.cases = cases;
    this.fresh = result.cases.map((c) => c.name);
    this.result = result;
    this.phase = 'ended';
  }

  #fail(message: string): void {
    this.phase = 'failed';
    this.message = message;
    this.ended(null);
  }

  stop(): void {
    this.#stop?.();
  }
}
