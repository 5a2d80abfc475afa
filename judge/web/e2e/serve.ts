// `judge serve` with a home of its own: the tasks are those of the repository (links), the learner's work and store lie in a folder that
// goes when the test ends. WARPBOOK_JUDGE names another program than the one built in build/.
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
const kPatience = 30_000;

function program(): string {
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
  write(task: string, text: string): void;
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

function begin(home: string, port: string): Promise<{ process: ChildProcess; url: string }> {
  const child = spawn(program(), ['serve', '--port', port], { env: { ...process.env, WARPBOOK_HOME: home, LANG: 'C.UTF-8' }, stdio: ['ignore', 'pipe', 'pipe'] });
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

const ended = (child: ChildProcess): Promise<void> =>
  new Promise((done) => {
    if (child.exitCode !== null || child.signalCode !== null) return done();
    child.once('exit', () => done());
    child.kill('SIGINT');
  });

export async function serve(): Promise<Served> {
  const home = mkdtempSync(join(tmpdir(), 'warpbook-e2e-'));
  for (const name of ['lessons', 'exercises', 'solutions', 'common', 'judge', 'cmake', 'README.md']) symlinkSync(join(root, name), join(home, name));
  mkdirSync(join(home, 'work'));
  let running = await begin(home, '0');
  const url = running.url;
  const file = (task: string, name = 'exercise.cu'): string => join(home, 'work', task, name);
  return {
    url,
    home,
    file,
    read: (task) => readFileSync(file(task), 'utf8'),
    write: (task, text) => writeFileSync(file(task), text),
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
      running = await begin(home, new URL(url).port);
    },
    remove: async () => {
      await ended(running.process);
      rmSync(home, { recursive: true, force: true });
    },
  };
}
