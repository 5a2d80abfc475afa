// The recording of the time machine: made on the server, marked in the editor. It outlives its tab: whoever looks at the verdict and comes back
// finds the same step.
import type { Text } from '@codemirror/state';
import { ApiError } from '../api/client';
import { Model } from '../../../trace/viewer/stream.js';
import type { Result } from '../api/result';
import { cancelTraces, refusalIn, trace, type TraceWish } from '../api/traces';
import { problem } from '../lib/problem';
import { reasonSentence } from '../lib/reasons';
import { settings } from '../lib/settings.svelte';
import type { TaskState } from '../lib/task.svelte';
import { markStep } from './step_mark';
import { Stepper } from './stepper.svelte';
import { blockOf } from './words';

export class Machine extends Stepper {
  phase: 'none' | 'recording' | 'ready' | 'failed' = $state('none');
  message = $state('');
  /// What a run says of a file that does not come to run.
  refused: Result | null = $state.raw(null);
  /// The case and block that somebody chose; the case that failed first otherwise.
  chosen: string | null = $state(null);
  block = $state('');
  /// The file has changed since: lines are those of then.
  stale = $state(false);

  readonly case = $derived.by(() => this.chosen ?? this.task.failed[0] ?? this.task.detail.cases[0]?.name ?? '');
  readonly blockWish = $derived.by(() => blockOf(this.block));
  /// The line of the learner's file that the step belongs to: inside a header the one that called.
  readonly ownPlace = $derived.by((): number | undefined => {
    const event = this.model && this.view ? this.model.events[this.view.group.at(-1) ?? -1] : undefined;
    const data = this.model?.data;
    return event && data?.sites[event.site]?.at.find(([file]) => data.files[file]?.own)?.[1];
  });
  /// What the editor held when it was recorded.
  #recorded: Text | null = null;

  constructor(private readonly task: TaskState) {
    super();
  }

  async record(from = 0): Promise<void> {
    const block = this.blockWish;
    if (this.phase === 'recording' || block === null) return;
    this.play(false);
    this.phase = 'recording';
    this.message = '';
    this.refused = null;
    const wish: TraceWish = { case: this.case, ...(block === undefined ? {} : { block }), ...(from > 0 ? { from } : {}) };
    try {
      // As before a run: what is recorded is what the page shows.
      if (this.task.file && !(await this.task.file.ready())) {
        this.phase = this.model ? 'ready' : 'none';
        return;
      }
      this.#recorded = this.task.editor?.view.state.doc ?? null;
      this.open(new Model(await trace(this.task.detail.id, wish, settings.lang)));
      this.phase = 'ready';
    } catch (error) {
      const cancelled = error instanceof ApiError && error.code === 'cancelled';
      this.phase = !cancelled ? 'failed' : this.model ? 'ready' : 'none';
      this.refused = refusalIn(error);
      this.message = cancelled ? '' : this.refused ? (reasonSentence(this.refused.reason) ?? this.refused.message) : problem(error);
    }
  }

  async cancel(): Promise<void> {
    try {
      await cancelTraces(this.task.detail.id);
    } catch (error) {
      this.message = problem(error); // it goes on being recorded
    }
  }

  /// The step's line in the editor, as long as that is the text that was recorded.
  mark(): void {
    const view = this.task.editor?.view;
    if (!view || !this.model) return;
    this.stale = this.#recorded !== null && !this.#recorded.eq(view.state.doc);
    const place = this.ownPlace;
    markStep(view, this.stale || place === undefined ? null : place);
  }
  unmark(): void {
    const view = this.task.editor?.view;
    if (view) markStep(view, null);
  }

}

const machines = new WeakMap<TaskState, Machine>();

/// The machine of a task's page. It belongs to no component: each of them may go while the recording stays.
export function machineOf(task: TaskState): Machine {
  const known = machines.get(task);
  if (known) return known;
  let made: Machine | undefined;
  $effect.root(() => {
    made = new Machine(task);
  });
  const machine = made as unknown as Machine;
  machines.set(task, machine);
  return machine;
}
