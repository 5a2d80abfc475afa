// Where we are in a recording, and the ways to go elsewhere. The recording outlives its tab: whoever looks at the verdict and comes back finds
// the same step. What was where at a step is judge/trace/viewer's business, which the page of `judge trace` shares.
import type { Text } from '@codemirror/state';
import { failureOf, viewOf, type View } from '../../../trace/viewer/shown.js';
import { Lines, type Group } from '../../../trace/viewer/lines.js';
import { Model } from '../../../trace/viewer/stream.js';
import { trace, type TraceWish } from '../api/traces';
import { problem } from '../lib/problem';
import { settings } from '../lib/settings.svelte';
import type { TaskState } from '../lib/task.svelte';
import { markStep } from './step_mark';
import { blockOf } from './words';

const kPlayMs = 350;

export class Machine {
  phase: 'none' | 'recording' | 'ready' | 'failed' = $state('none');
  message = $state('');
  /// The case and block that somebody chose; the case that failed first otherwise.
  chosen: string | null = $state(null);
  block = $state('');
  model: Model | null = $state.raw(null);
  t = $state(0);
  warp = $state(0);
  /// Steps go to whichever warp runs next.
  follow = $state(false);
  /// Lines of headers are steps too.
  into = $state(true);
  /// An instruction is a step.
  single = $state(false);
  playing = $state(false);
  /// The file has changed since: lines are those of then.
  stale = $state(false);

  readonly case = $derived.by(() => this.chosen ?? this.task.failed[0] ?? this.task.detail.cases[0]?.name ?? '');
  readonly blockWish = $derived.by(() => blockOf(this.block));
  readonly lines = $derived.by(() => (this.model ? new Lines(this.model, { into: this.into, single: this.single }) : null));
  readonly view = $derived.by((): View | null => (this.model && this.lines ? viewOf(this.model, this.lines, this.warp, this.t) : null));
  /// The line of the learner's file that the step belongs to: inside a header the one that called.
  readonly ownPlace = $derived.by((): number | undefined => {
    const event = this.model && this.view ? this.model.events[this.view.group.at(-1) ?? -1] : undefined;
    const data = this.model?.data;
    return event && data?.sites[event.site]?.at.find(([file]) => data.files[file]?.own)?.[1];
  });
  readonly failure = $derived.by(() => (this.model ? failureOf(this.model.data) : undefined));
  /// What the editor held when it was recorded.
  #recorded: Text | null = null;
  #timer = 0;

  constructor(private readonly task: TaskState) {}

  async record(from = 0): Promise<void> {
    const block = this.blockWish;
    if (this.phase === 'recording' || block === null) return;
    this.play(false);
    this.phase = 'recording';
    this.message = '';
    const wish: TraceWish = { case: this.case, ...(block === undefined ? {} : { block }), ...(from > 0 ? { from } : {}) };
    try {
      // As before a run: what is recorded is what the page shows.
      if (this.task.file && !(await this.task.file.ready())) {
        this.phase = this.model ? 'ready' : 'none';
        return;
      }
      this.#recorded = this.task.editor?.view.state.doc ?? null;
      this.open(new Model(await trace(this.task.detail.id, wish, settings.lang)));
    } catch (error) {
      this.phase = 'failed';
      this.message = problem(error);
    }
  }

  /// A kernel that fails is opened where it fails.
  open(model: Model): void {
    const failure = failureOf(model.data);
    this.model = model;
    this.t = 0;
    this.warp = model.events[0]?.warp ?? 0;
    const groups = this.lines?.groups ?? [];
    this.#goTo(groups[failure?.here ? groups.length - 1 : 0]);
    this.phase = 'ready';
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

  #goTo(group: Group | undefined): boolean {
    if (!group) return false;
    this.t = group.last;
    this.warp = group.warp;
    return true;
  }

  step(by: 1 | -1): boolean {
    return this.#goTo(this.lines?.neighbour(this.warp, this.t, by, this.follow));
  }
  start(): void {
    this.#goTo(this.lines?.first(this.warp, this.follow));
  }
  end(): void {
    this.#goTo(this.lines?.last(this.warp, this.follow));
  }
  scrub(group: number): void {
    this.play(false);
    this.#goTo(this.lines?.groups[group]);
  }
  chooseWarp(warp: number): void {
    if (this.model && warp >= 0 && warp < this.model.warps) this.warp = warp;
  }
  play(on: boolean): void {
    clearInterval(this.#timer);
    this.playing = on;
    if (on) this.#timer = window.setInterval(() => this.step(1) || this.play(false), kPlayMs);
  }

  /// Another way to count steps: the position becomes the end of the step that it lies in.
  regroup(change: { into?: boolean; single?: boolean }): void {
    if (change.into !== undefined) this.into = change.into;
    if (change.single !== undefined) this.single = change.single;
    const group = this.lines?.current(this.warp, this.t);
    if (group && !this.follow) this.t = Math.max(this.t, group.last);
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
