// A PostgreSQL server of a test's own, as judge/tests/postgres.hpp has it for the programs: in a temporary folder, reached by a socket there
// and by nothing else, without a password, gone when the test ends. The server refuses to run as root, so root starts it as `nobody`.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, chownSync, closeSync, existsSync, mkdtempSync, openSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const kNobody = 65534;
const kTries = 200;
const isRoot = process.getuid?.() === 0;

/// The folder with initdb and postgres, of the newest version installed; null: none. WARPBOOK_POSTGRES names another.
export function postgresPrograms(): string | null {
  if (process.env.WARPBOOK_POSTGRES) return process.env.WARPBOOK_POSTGRES;
  const base = '/usr/lib/postgresql';
  if (!existsSync(base)) return null;
  const found = readdirSync(base).map((version) => join(base, version, 'bin')).filter((bin) => existsSync(join(bin, 'postgres')));
  return found.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1) ?? null;
}

export interface Postgres {
  /// "postgresql:///class?host=..."
  url: string;
  stop(): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
}

export async function postgres(): Promise<Postgres> {
  const programs = postgresPrograms();
  if (!programs) throw new Error('no PostgreSQL server is installed');
  const folder = mkdtempSync(join(tmpdir(), 'warpbook-pg-'));
  chmodSync(folder, 0o755);
  if (isRoot) chownSync(folder, kNobody, kNobody);
  const data = join(folder, 'data');
  // The server ends with this program; the signal is set behind the change of user, which would clear it.
  const asUser = (...words: string[]): [string, string[]] => ['setpriv', ['--pdeathsig', 'QUIT', ...(isRoot ? [`--reuid=${kNobody}`, `--regid=${kNobody}`, '--clear-groups'] : []), ...words]];
  const once = (...words: string[]): string => {
    const [program, all] = asUser(...words);
    return execFileSync(program, all, { cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] }).toString();
  };
  once(join(programs, 'initdb'), '-D', data, '-U', 'warpbook', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync', '--no-instructions');

  let child: ChildProcess | null = null;
  const answers = (): boolean => {
    try {
      once(join(programs, 'pg_isready'), '-h', folder, '-U', 'warpbook', '-d', 'postgres');
      return true;
    } catch {
      return false;
    }
  };
  const start = async (): Promise<void> => {
    const log = openSync(join(folder, 'log'), 'a');
    const [program, words] = asUser(join(programs, 'postgres'), '-D', data, '-k', folder, '-c', 'listen_addresses=', '-c', 'fsync=off', '-c', 'max_connections=60');
    child = spawn(program, words, { cwd: '/', stdio: ['ignore', log, log] });
    closeSync(log);
    for (let n = 0; n < kTries; ++n) {
      if (answers()) return;
      await new Promise((later) => setTimeout(later, 50));
    }
    throw new Error(`PostgreSQL does not answer; see ${join(folder, 'log')}`);
  };
  const stop = (): Promise<void> =>
    new Promise((done) => {
      const running = child;
      child = null;
      if (!running || running.exitCode !== null || running.signalCode !== null) return done();
      running.once('exit', () => done());
      running.kill('SIGINT'); // ends at once, connections are cut
    });
  await start();
  once(join(programs, 'createdb'), '-h', folder, '-U', 'warpbook', 'class');
  return {
    url: `postgresql:///class?host=${encodeURIComponent(folder)}&user=warpbook`,
    stop,
    start,
    remove: async () => {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
