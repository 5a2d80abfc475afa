// The learner's file in the page and on disk, kept the same. What is typed is written half a second later; what another program or tab
// writes is shown when nothing here is unsaved, and asked about otherwise. A write names the version it began from, so that the server
// refuses one that would overwrite what this page has not seen. What could not be written is kept as a draft until it could.
import { ApiError } from '../api/client';
import { file, watch, write, type FileChange, type FileText } from '../api/file';
import { codeDraftOf, dropCode, keepCode } from './drafts';
import { problem } from './problem';

const kDelay = 500;
const kAgain = 3000; ///< until a write that did not get through is tried again

/// The editor, as far as this needs to know it.
export interface Sheet {
  change(): FileChange;
  show(file: FileText): void;
  /// Puts texts into the blanks, or a whole text in place of what is there.
  put(change: FileChange): void;
}

/// What a session tells of itself, and asks.
export interface News {
  /// Whether whoever typed is still signed in. Another person's file of the same task may have the same version.
  isOurs(): boolean;
  reloaded(): void;
  draft(): void;
}

function troubleOf(seen: FileText): { text: string; line: number } | null {
  if (seen.trouble) return { text: seen.trouble, line: 0 };
  return seen.outside_changed ? { text: seen.change?.message ?? '', line: seen.change?.line ?? 0 } : null;
}

export type FileStatus = 'saved' | 'unsaved' | 'saving' | 'failed';

export class FileSession {
  status: FileStatus = $state('saved');
  message = $state('');
  conflict: { mine: FileChange; theirs: FileText } | null = $state.raw(null);
  /// What is wrong with the file on disk: text outside the blanks was changed, or it is no text.
  trouble: { text: string; line: number } | null = $state.raw(null);

  #base = '';
  #source: string = $state(''); ///< hash of the text on disk
  #edits = 0; ///< counts what is typed
  #saved = 0; ///< the count that is on disk
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<boolean> | null = null;
  #last = false; ///< the page goes: the browser may send the write after it
  #unwatch: () => void;

  constructor(
    readonly id: string,
    seen: FileText,
    private readonly sheet: Sheet,
    private readonly draft: string,
    private readonly news: News,
  ) {
    this.#see(seen);
    this.trouble = troubleOf(seen);
    this.#goOn(seen);
    this.#unwatch = watch(id, seen.version, (changed) => void this.#outside(changed));
  }

  /// What an earlier page could not write comes back. A file that became another one meanwhile is asked about.
  #goOn(seen: FileText): void {
    const kept = codeDraftOf(this.draft);
    if (!kept) return;
    const before = JSON.stringify(this.sheet.change());
    this.sheet.put(kept.change);
    if (JSON.stringify(this.sheet.change()) === before) return dropCode(this.draft);
    this.#edits += 1;
    this.news.draft();
    if (kept.base !== seen.version) {
      this.#base = kept.base;
      return this.#ask(this.sheet.change(), seen);
    }
    this.status = 'unsaved';
    this.#timer = setTimeout(() => void this.flush(), kDelay);
  }

  /// The hash of the text shown here, as results carry it; nothing while something is not written.
  get shown(): string | null {
    return this.status === 'saved' && !this.conflict ? this.#source : null;
  }

  edited(): void {
    this.#edits += 1;
    if (this.conflict) return;
    this.status = 'unsaved';
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), kDelay);
  }

  /// Writes what is not written. False when it could not, or when a choice is open.
  async flush(): Promise<boolean> {
    clearTimeout(this.#timer);
    while (this.#writing) await this.#writing;
    if (this.conflict) return false;
    if (this.#edits === this.#saved) return true;
    this.#writing = this.#write();
    const ok = await this.#writing;
    this.#writing = null;
    return ok && (this.#edits === this.#saved || this.flush());
  }

  /// Whether a run may begin: all is written, and the file on disk is what is shown here. One that is gone or cannot be read is asked about,
  /// since the server would judge a fresh exercise in its place.
  async ready(): Promise<boolean> {
    if (!(await this.flush())) return false;
    let now: FileText;
    try {
      now = await file(this.id);
    } catch {
      return true; // The run will tell.
    }
    if (now.version === this.#base) return true;
    if (!now.exists || now.trouble) {
      this.#ask(this.sheet.change(), now);
      return false;
    }
    this.#take(now);
    this.news.reloaded();
    return true;
  }

  async #write(): Promise<boolean> {
    const edits = this.#edits;
    const mine = this.sheet.change();
    if (!this.news.isOurs()) {
      keepCode(this.draft, { base: this.#base, change: mine });
      this.status = 'failed';
      return false;
    }
    this.status = 'saving';
    try {
      this.#see(await write(this.id, mine, this.#base, this.#last));
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) {
        this.#ask(mine, (error.body as { theirs: FileText }).theirs);
        return false;
      }
      this.status = 'failed';
      this.message = problem(error);
      keepCode(this.draft, { base: this.#base, change: mine });
      // A server that is away may come back; what it refused it will refuse again.
      const refused = error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429;
      if (!refused && !this.#last) this.#timer = setTimeout(() => void this.flush(), kAgain);
      return false;
    }
    this.#saved = edits;
    this.status = this.#edits === edits ? 'saved' : 'unsaved';
    dropCode(this.draft);
    return true;
  }

  /// The last moment of a page: the browser sends this even when the page is gone.
  farewell(): void {
    if (this.#edits === this.#saved) return;
    keepCode(this.draft, { base: this.#base, change: this.sheet.change() });
    if (this.conflict || this.#writing) return;
    this.#last = true;
    void this.flush();
  }

  async #outside(version: string): Promise<void> {
    while (this.#writing) await this.#writing;
    if (version === this.#base || this.conflict) return;
    let theirs: FileText;
    try {
      theirs = await file(this.id);
    } catch {
      return; // The next write tells.
    }
    while (this.#writing) await this.#writing;
    if (theirs.version === this.#base) return;
    if (this.#edits !== this.#saved) return this.#ask(this.sheet.change(), theirs);
    this.#take(theirs);
    this.news.reloaded();
  }

  #ask(mine: FileChange, theirs: FileText): void {
    clearTimeout(this.#timer);
    this.status = 'unsaved';
    this.conflict = { mine, theirs };
    keepCode(this.draft, { base: this.#base, change: mine });
  }

  #see(file: FileText): void {
    this.#base = file.version;
    this.#source = file.source_hash ?? file.version;
  }

  #take(theirs: FileText): void {
    this.#see(theirs);
    this.trouble = troubleOf(theirs);
    this.sheet.show(theirs);
    this.#saved = this.#edits;
    this.status = 'saved';
    dropCode(this.draft);
  }

  keepMine(): void {
    if (!this.conflict) return;
    this.#base = this.conflict.theirs.version;
    this.conflict = null;
    this.edited();
    void this.flush();
  }

  takeTheirs(): void {
    if (!this.conflict) return;
    const { theirs } = this.conflict;
    this.conflict = null;
    this.#take(theirs);
  }

  /// Puts the lesson's own text around the blanks again.
  async restore(): Promise<void> {
    const mine = this.sheet.change();
    if ('text' in mine) return;
    try {
      await write(this.id, { ...mine, restore: true }, this.#base);
      this.#take(await file(this.id));
    } catch (error) {
      this.status = 'failed';
      this.message = problem(error);
    }
  }

  stop(): void {
    this.farewell();
    clearTimeout(this.#timer);
    this.#unwatch();
  }
}
