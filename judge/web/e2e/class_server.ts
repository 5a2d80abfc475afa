// `judge serve --class` with a database and a home of its own, and the first instructor's invitation.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { newPage } from './browser';
import { postgres, type Postgres } from './postgres';
import { begin, ended, homeOfLinks, program, removeHome, type Running } from './serve';

export const kPassword = 'correct horse battery';

export interface ClassServer {
  url: string;
  database: Postgres;
  /// A link for somebody who comes in as instructor.
  invite(login: string, name: string): string;
  end(): Promise<void>;
  again(): Promise<void>;
  /// Gives the class a further case of a task (text of a cases.xml) and begins the server again.
  addCases(task: string, cases: string): Promise<void>;
  remove(): Promise<void>;
}

export async function serveClass(limits: Record<string, number> = {}): Promise<ClassServer> {
  const database = await postgres();
  const home = homeOfLinks();
  mkdirSync(join(home, 'class-work'));
  const file = join(home, 'class.json');
  const env = { ...process.env, WARPBOOK_HOME: home, LANG: 'C.UTF-8' };
  const write = (port: number, more: Record<string, string> = {}): void =>
    writeFileSync(
      file,
      JSON.stringify({ name: 'GPU kernels 2027', database: database.url, port, work: 'class-work', jobs: 1, limits: { requests_per_second: 200, runs_per_minute: 60, ...limits }, ...more }, null, 2),
    );
  write(0);
  let running: Running = await begin(['serve', '--class', file], env);
  const url = running.url;
  write(Number(new URL(url).port)); // links and a later start name the port that was found
  const again = async (): Promise<void> => {
    running = await begin(['serve', '--class', file], env);
  };
  return {
    url,
    database,
    invite: (login, name) => execFileSync(program(), ['serve', '--class', file, '--invite', login, '--name', name], { env }).toString().trim(),
    end: () => ended(running.process),
    again,
    addCases: async (task, cases) => {
      mkdirSync(join(home, 'further', task), { recursive: true });
      writeFileSync(join(home, 'further', task, 'cases.xml'), cases);
      write(Number(new URL(url).port), { overlay: 'further' });
      await ended(running.process);
      await again();
    },
    remove: async () => {
      await ended(running.process);
      await database.remove();
      removeHome(home);
    },
  };
}

/// A browser of somebody's own who opens an invitation link and chooses a password.
export async function accept(browser: Browser, link: string): Promise<{ page: Page; errors: string[] }> {
  const made = await newPage(browser);
  await made.page.goto(link);
  await made.page.getByLabel('Choose a password').fill(kPassword);
  await made.page.getByRole('button', { name: 'Save the password and begin' }).click();
  await made.page.getByRole('button', { name: 'Sign out' }).waitFor();
  return made;
}

export async function signIn(page: Page, login: string, password = kPassword): Promise<void> {
  await page.getByLabel('Login').fill(login);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/// Puts people into the class on the page of its people; their links by login.
export async function invitePeople(page: Page, url: string, csv: string): Promise<Record<string, string>> {
  await page.goto(`${url}/class/people`);
  await page.getByText('Import a roster').click();
  await page.getByLabel('or paste the lines here').fill(csv);
  await page.getByRole('button', { name: /^Import \d+ lines?/ }).click();
  await page.getByText('These links are shown once.').waitFor();
  const rows = await page.locator('.scroll tbody tr').all();
  const links: Record<string, string> = {};
  for (const row of rows) links[await row.locator('td code').first().innerText()] = await row.locator('.link').innerText();
  return links;
}
