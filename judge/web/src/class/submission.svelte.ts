// One attempt of somebody as the verdict panel and the source view share it. Nothing here can be run or changed.
import type { Evidence as AttemptEvidence } from '../api/class';
import type { CaseInfo } from '../api/tasks';
import type { Editor } from '../editor/create';
import type { Evidence } from '../lib/evidence';
import { RunSession } from '../lib/run.svelte';

export class ShownAttempt implements Evidence {
  readonly detail: { cases: CaseInfo[] };
  readonly run: RunSession;
  readonly source: string | null;
  readonly partial = false;
  readonly stale = false;
  chosen: string | null = $state(null);
  editor: Editor | null = null;

  constructor(of: AttemptEvidence) {
    this.source = of.source;
    this.detail = { cases: of.result?.cases ?? [] };
    this.run = new RunSession(of.task, () => undefined);
    if (of.result) this.run.show(of.result);
    this.chosen = this.failed[0] ?? null;
  }

  readonly failed = $derived.by(() => this.detail.cases.map((c) => c.name).filter((name) => this.run.cases[name]?.verdict !== 'AC'));

  goToLine(line: number): void {
    this.editor?.goTo(line);
  }
}
