// Where we are in a recording, and the ways to go elsewhere. What was where at a step is judge/trace/viewer's business, which the page of
// `judge trace` shares.
import { failureOf, viewOf, type View } from '../../../trace/viewer/shown.js';
import { Lines, type Group } from '../../../trace/viewer/lines.js';
import type { Model } from '../../../trace/viewer/stream.js';

const kPlayMs = 350;

export class Stepper {
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

  readonly lines = $derived.by(() => (this.model ? new Lines(this.model, { into: this.into, single: this.single }) : null));
  readonly view = $derived.by((): View | null => (this.model && this.lines ? viewOf(this.model, this.lines, this.warp, this.t) : null));
  readonly failure = $derived.by(() => (this.model ? failureOf(this.model.data) : undefined));
  #timer = 0;

  /// A kernel that fails is opened where it fails.
  open(model: Model): void {
    const failure = failureOf(model.data);
    this.model = model;
    this.t = 0;
    this.warp = model.events[0]?.warp ?? 0;
    const groups = this.lines?.groups ?? [];
    this.#goTo(groups[failure?.here ? groups.length - 1 : 0]);
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
