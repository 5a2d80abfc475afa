// What the parts of a task's page share: the task, its file, its run, and which tabs are open. The keys act here.
import { tick } from 'svelte';
import type { Answers } from '../api/answers';
import type { Result } from '../api/result';
import { task as loadTask, type TaskDetail } from '../api/tasks';
import type { Editor } from '../editor/create';
import { strings } from '../strings/strings';
import { say, tell } from './announce.svelte';
import { draftOf } from './drafts';
import { FileSession } from './file.svelte';
import type { Metric } from './lines';
import { RunSession } from './run.svelte';
import { session } from './session.svelte';
import { settings } from './settings.svelte';

export type LeftTab = 'text' | 'questions' | 'hints' | 'attempts' | 'solution';
export type RightTab = 'verdict' | 'memory' | 'trace';

export class TaskState {
  detail: TaskDetail = $state.raw(undefined as unknown as TaskDetail);
  left: LeftTab = $state('text');
  right: RightTab = $state('verdict');
  /// The case that is open in the verdict and shown in the margin.
  chosen: string | null = $state(null);
  metric: Metric = $state('warp_instructions');
  file: FileSession | null = $state.raw(null);
  editor: Editor | null = null;
  readonly run: RunSession;
  /// What this person's drafts of the task are called.
  readonly draft: string;
  /// Answers given on this page, by question.
  answers: Answers = $state({});
  /// Counts recorded runs, so that what shows them loads anew.
  ran = $state(0);

  constructor(
    detail: TaskDetail,
    private readonly showPane: (pane: 'read' | 'code') => void,
  ) {
    this.detail = detail;
    this.draft = session.owner + detail.id;
    this.answers = draftOf(this.draft);
    this.run = new RunSession(detail.id, (result) => this.#ended(result));
    void this.run.find().then(() => this.#choose());
  }

  readonly failed = $derived.by(() =>
    this.detail.cases.map((c) => c.name).filter((name) => (this.run.cases[name]?.verdict ?? 'AC') !== 'AC'),
  );

  /// The latest run judged some of the cases only.
  readonly partial = $derived.by(() => {
    const judged = this.run.result?.cases.length ?? 0;
    return this.run.only !== null || (judged > 0 && judged < this.detail.cases.length);
  });

  /// The result is of another text than the one in the editor.
  readonly stale = $derived.by(() => this.run.phase === 'ended' && this.file !== null && this.run.result?.provenance.source_hash !== this.file.shown);

  /// The editor has come to life.
  attach(editor: Editor): void {
    this.editor = editor;
    const whole = this.detail.blanks.length === 0;
    this.file = new FileSession(
      this.detail.id,
      this.detail.file,
      {
        change: () => (whole ? { text: editor.text() } : { blanks: editor.blankTexts() }),
        show: (file) => editor.replace(file),
        put: (change) => editor.put(change),
      },
      this.draft,
      { isOurs: () => session.owner + this.detail.id === this.draft, reloaded: () => tell(strings().editor.reloaded), draft: () => tell(strings().editor.draft) },
    );
  }

  async startRun(cases?: string[]): Promise<void> {
    if (this.run.busy) return;
    this.showPane('code');
    this.right = 'verdict';
    if (!cases) this.chosen = null;
    if (this.file && !(await this.file.ready())) return;
    await this.run.start({ ...(cases ? { cases } : {}), ...(settings.meters ? { meters: true } : {}) });
  }

  #ended(result: Result | null): void {
    if (!result) return;
    this.#choose();
    const t = strings();
    const bad = result.cases.filter((c) => c.verdict !== 'AC').length;
    say(`${t.verdict.names[result.verdict]}, ${bad === 0 ? t.verdict.allAccepted : result.message}`);
    this.ran += 1;
    void this.refresh();
  }

  /// The first failed case is opened when nothing else is.
  #choose(): void {
    if (!this.chosen || !this.run.cases[this.chosen]) this.chosen = this.failed[0] ?? null;
  }

  /// The task's own data again: whether the solution is open, what the questions measure.
  async refresh(): Promise<void> {
    try {
      this.detail = await loadTask(this.detail.id, settings.lang);
    } catch {
      // The next visit shows it.
    }
  }

  /// A tab of the reading side comes up and takes the focus.
  open(tab: LeftTab): void {
    this.left = tab;
    this.showPane('read');
    void this.#focus('#left-panel');
  }

  nextBlank(): void {
    this.showPane('code');
    void tick().then(() => {
      const name = this.editor?.nextBlank();
      const blank = this.detail.blanks.find((b) => b.name === name);
      if (blank) say(strings().editor.here(blank.name, blank.lines));
    });
  }

  nextFailed(): void {
    const { failed } = this;
    const next = failed[(failed.indexOf(this.chosen ?? '') + 1) % failed.length];
    if (!next) return;
    this.showPane('code');
    this.right = 'verdict';
    this.chosen = next;
    void this.#focus('#case-heading');
  }

  goToLine(line: number): void {
    this.showPane('code');
    void tick().then(() => this.editor?.goTo(line));
  }

  async #focus(selector: string): Promise<void> {
    await tick();
    document.querySelector<HTMLElement>(selector)?.focus();
  }

  stop(): void {
    this.file?.stop();
    this.run.stop();
  }
}
