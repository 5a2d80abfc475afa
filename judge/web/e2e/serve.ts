// `judge serve` with a home of its own: the tasks are those of the repository (links), the learner's work and store lie in a folder that
// goes when the test ends. WARPBOOK_JUDGE names another program than the one built in build/.
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
const kPatience = 30_000;

export function program(): string {
  const named = process.env.WARPBOOK_JUDGE;
  const known = named ? [named] : ['unity', 'release', 'debug'].map((preset) => join(root, 'build', preset, 'bin/judge'));
  const found = known.find((path) => existsSync(path));
  if (!found) throw new Error(`no judge program in ${known.join(', ')}`);
  return found;
}

export interface Served {
  url: string;
  home: string;
  /// The learner's file of a task.
  file(task: string, name?: string): string;
  read(task: string): string;
  write(task: string, text: string, name?: string): void;
  /// Begins a lesson with the blanks of another file of its folder ("wrong/no-barrier.cu"), as if they had been typed.
  begin(lesson: string, source: string): void;
  /// Begins row-softmax with host code that sleeps, each time until the judge ends it.
  sleeper(): void;
  /// Ends the server; the home stays for another one.
  end(): Promise<void>;
  /// Another server on the same home and port.
  again(): Promise<void>;
  /// Ends the server and removes the home.
  remove(): Promise<void>;
}

export interface Running {
  process: ChildProcess;
  url: string;
}

/// Starts a server and waits until it says its address.
export function begin(words: string[], env: NodeJS.ProcessEnv): Promise<Running> {
  const child = spawn(program(), words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  return new Promise((done, failed) => {
    let said = '';
    const late = setTimeout(() => failed(new Error(`judge serve said no address: ${said}`)), kPatience);
    const heard = (data: Buffer): void => {
      said += data.toString();
      const url = /(http:\/\/127\.0\.0\.1:\d+)/.exec(said)?.[1];
      if (!url) return;
      clearTimeout(late);
      done({ process: child, url });
    };
    child.stdout?.on('data', heard);
    child.stderr?.on('data', heard);
    child.on('exit', (code) => failed(new Error(`judge serve ended with ${code}: ${said}`)));
  });
}

export const ended = (child: ChildProcess): Promise<void> =>
  new Promise((done) => {
    if (child.exitCode !== null || child.signalCode !== null) return done();
    child.once('exit', () => done());
    child.kill('SIGINT');
  });

/// A home whose tasks are those of the repository. WARPBOOK_PAGES names other built pages than judge/web/dist.
export function homeOfLinks(): string {
  const home = mkdtempSync(join(tmpdir(), 'warpbook-e2e-'));
  for (const name of ['lessons', 'exercises', 'solutions', 'common', 'cmake', 'README.md']) symlinkSync(join(root, name), join(home, name));
  const pages = process.env.WARPBOOK_PAGES;
  if (!pages) {
    symlinkSync(join(root, 'judge'), join(home, 'judge'));
    return home;
  }
  mkdirSync(join(home, 'judge/web'), { recursive: true });
  for (const name of readdirSync(join(root, 'judge'))) if (name !== 'web') symlinkSync(join(root, 'judge', name), join(home, 'judge', name));
  symlinkSync(pages, join(home, 'judge/web/dist'));
  return home;
}

export const removeHome = (home: string): void => rmSync(home, { recursive: true, force: true });

export async function serve(): Promise<Served> {
  const home = homeOfLinks();
  mkdirSync(join(home, 'work'));
  const start = (port: string): Promise<Running> => begin(['serve', '--port', port], { ...process.env, WARPBOOK_HOME: home, LANG: 'C.UTF-8' });
  let running = await start('0');
  const url = running.url;
  const file = (task: string, name = 'exercise.cu'): string => join(home, 'work', task, name);
  return {
    url,
    home,
    file,
    read: (task) => readFileSync(file(task), 'utf8'),
    write: (task, text, name) => {
      mkdirSync(join(home, 'work', task), { recursive: true });
      writeFileSync(file(task, name), text);
    },
    begin: (lesson, source) => {
      const folder = join(root, 'lessons', lesson);
      const blank = /(\/\/ >>> blank [^\n]*\n)([\s\S]*?)([ \t]*\/\/ <<< blank)/;
      const fill = blank.exec(readFileSync(join(folder, source), 'utf8'))?.[2] ?? '';
      mkdirSync(join(home, 'work', lesson), { recursive: true });
      writeFileSync(file(lesson), readFileSync(join(folder, 'exercise.cu'), 'utf8').replace(blank, (_all, begin, _old, end) => `${begin}${fill}${end}`));
    },
    sleeper: () => {
      const starter = readFileSync(join(root, 'exercises/row-softmax/starter.cu'), 'utf8');
      const asleep = starter.replace(/cudaError_t launch_softmax\([^)]*\) \{\n/, (head) => `${head}  sleep(3600);\n`);
      mkdirSync(join(home, 'work/row-softmax'), { recursive: true });
      writeFileSync(file('row-softmax', 'kernel.cu'), `#include <unistd.h>\n${asleep}`);
    },
    end: () => ended(running.process),
    again: async () => {
      running = await start(new URL(url).port);
    },
    remove: async () => {
      await ended(running.process);
      removeHome(home);
    },
  };
}
