// The learner's file on disk, and news of it. `version` is a hash of the text: a write says which one it began from.
import { get, ofTask, put } from './client';
import { listen } from './events';

/// A blank in the text: lines from 1, places in UTF-16 units from 0. An empty one between two marker lines has to_line = from_line - 1.
export interface Region {
  blank: string;
  from_line: number;
  to_line: number;
  from: number;
  to: number;
  lines: boolean; ///< else it stands inside a line
}

export interface FileText {
  /// False: the text is the exercise, which is on disk only once something is written.
  exists: boolean;
  text: string;
  version: string;
  /// Hash of `text`, as results carry it; a file with other line ends has another version.
  source_hash?: string;
  regions: Region[];
  outside_changed?: boolean; ///< text outside the blanks is not the lesson's any more
  change?: { message: string; line: number };
  trouble?: string; ///< the file cannot be read as source
}

/// Blanks of a lesson, or the whole text of an open problem.
/// `restore` puts the lesson's own text around the blanks.
export type FileChange = { blanks: Record<string, string>; restore?: true } | { text: string };

export const file = (id: string): Promise<FileText> => get(ofTask(id, '/file'));

export const write = (id: string, change: FileChange, base: string, keepalive = false): Promise<FileText> =>
  put(ofTask(id, '/file'), { ...change, base_version: base }, undefined, keepalive);

/// Calls `changed` whenever the file on disk has another version; the answer ends it.
export const watch = (id: string, known: string, changed: (version: string) => void): (() => void) =>
  listen(ofTask(id, `/file/events?${new URLSearchParams({ version: known })}`), { changed: (data) => changed((data as { version: string }).version) });
