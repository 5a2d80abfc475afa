// The pictures of a class. People, one submission with its evidence and the sign-in page are real; the matrix and the statistics of a whole
// class are drawn from example data, because thirty learners who hand in would take an hour.
import type { Browser, Page } from 'playwright-core';
import { newPage } from './browser';
import { accept, invitePeople, serveClass, signIn } from './class_server';
import { fillBlank, kNoClamp, openTask, runAll, saved } from './steps';

const kNames = [
  'Ada Lovelace', 'Amina Diallo', 'Ben Okri', 'Chen Wei', 'Dana Scott', 'Edsger Dijkstra', 'Emmy Noether', 'Fatima al-Fihri', 'Grace Hopper', 'Hedy Lamarr', 'Ivan Petrov', 'Jean Bartik',
  'José Silva', 'Katherine Johnson', 'Kim Min-ji', 'Leslie Lamport', 'Mary Jackson', 'Niklaus Wirth', 'Priya Nair', 'Radia Perlman', 'Sophie Wilson', 'Tu Youyou', 'Zoë Ångström', '王小明',
];

/// The same figures at each call.
function dice(): () => number {
  let state = 20_27;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

function progressOf(tasks: { id: string; title: string }[]): unknown {
  const throwDice = dice();
  const people = kNames.map((name, n) => {
    const reach = Math.floor(4 + throwDice() * 14);
    const cells = tasks.map((task, k) => {
      const tried = k < reach ? 1 + Math.floor(throwDice() * 7) : 0;
      const passed = tried > 0 && (k < reach - 2 || throwDice() < 0.5);
      const best = tried === 0 ? 0 : passed ? 7 + Math.floor(throwDice() * 7) / 2 : Math.floor(throwDice() * 12) / 2;
      const set = tried > 0 && throwDice() < 0.02;
      return {
        task: task.id, attempts: tried, best_points: best, points: set ? 8 : best, passed, medal: passed && best > 9, provisional: passed && !set && throwDice() < 0.12,
        override: set ? { points: 8, reason: 'explained at the board', by: 1, set_ms: 0 } : null,
      };
    });
    return { id: n + 1, login: `l${n}`, name, total: cells.reduce((sum, c) => sum + c.points, 0), cells };
  });
  return { tasks, people };
}

function statisticsOf(task: string, cases: { name: string; kind: string; about: string }[]): unknown {
  const failed: Record<string, number> = { 'negative-variance': 9, cancelled: 8, 'small-spread': 4, tail: 3, 'odd-length': 3, wide: 1 };
  return {
    task, learners: 24, verdicts: { AC: 11, WA: 8, RTE: 3, CE: 2 },
    cases: cases.map((c) => ({ name: c.name, kind: c.kind, about: c.about, ran: 22, failed: failed[c.name] ?? 0 })),
    mistakes: [
      { name: 'no-clamp', sentence: 'the variance of a constant row becomes negative, and its root NaN', count: 7 },
      { name: 'n-minus-one', sentence: 'divides by n - 1', count: 2 },
    ],
    reasons: [
      { code: 'not-finite', sentence: 'a value is NaN or infinite where the reference is not, or the other way round', count: 8 },
      { code: 'out-of-bounds', sentence: 'an access lies outside every allocation', count: 3 },
    ],
    misconceptions: [{ text: 'a difference of two means of squares cannot be negative', count: 6 }],
  };
}

export async function takeClass(browser: Browser, theme: 'light' | 'dark', take: (name: string, of: Page) => Promise<void>): Promise<void> {
  const server = await serveClass();
  try {
    const { page } = await newPage(browser, { colorScheme: theme });
    const link = server.invite('kim', 'Kim Park');
    await page.goto(`${server.url}/class`);
    await page.locator('form').waitFor();
    await take('sign-in', page);
    const kim = (await accept(browser, link)).page;
    const links = await invitePeople(kim, server.url, `login,name\nben,Ben Okri\n${kNames.filter((name) => name !== 'Ben Okri').slice(0, 9).map((name, n) => `l${n},${name}`).join('\n')}`);
    const ben = (await accept(browser, links.ben ?? '')).page;
    await openTask(ben, server.url, '05-layernorm');
    await fillBlank(ben, kNoClamp);
    await saved(ben);
    await runAll(ben);
    await ben.getByRole('tab', { name: 'Questions' }).click();
    // The exact variance of the row that this learner is asked about: the judge knows the belief behind it.
    const [, a, b] = /\[(\d+),? (\d+)\]/.exec(await ben.locator('#question-variance-of-a-row').innerText()) ?? [];
    await ben.locator('#question-variance-of-a-row input').fill(String(((Number(a) - Number(b)) / 2) ** 2));
    await ben.locator('#question-explanation textarea').fill('Two nearly equal sums are subtracted, so rounding decides the sign of what is left.');
    await ben.getByRole('button', { name: 'Hand in the answers' }).click();
    await ben.locator('#answers-total').waitFor();
    const cases = (await ben.evaluate(async () => (await (await fetch('/api/tasks/05-layernorm')).json()) as { cases: { name: string; kind: string; about: string }[] })).cases;

    await signIn(page, 'kim');
    await page.waitForURL('**/class');
    await page.goto(`${server.url}/class/people`);
    await page.locator('summary').click();
    await page.locator('textarea').fill('login,name,role\nben,Benjamin Okri,\ngrace,Grace Hopper,learner\nlee,Lee Jordan,instructor');
    await page.locator('.panel .data').first().waitFor();
    await take('class-people', page);
    await page.goto(`${server.url}/class`);
    await page.locator('a[aria-label^="Ben Okri, 05-layernorm"]').click();
    await page.locator('.cm-content').waitFor();
    await take('class-submission', page);
    const tasks = await page.evaluate(async () => ((await (await fetch('/api/class/progress')).json()) as { tasks: { id: string; title: string }[] }).tasks);
    await page.route('**/api/class/progress', (route) => route.fulfill({ json: progressOf(tasks) }));
    await page.goto(`${server.url}/class`);
    await page.locator('[data-at="0 0"]').waitFor();
    await page.mouse.move(0, 0); // nothing is hovered
    await take('class-matrix', page);
    await page.setViewportSize({ width: 360, height: 740 });
    await take('narrow-class', page);
    await page.setViewportSize({ width: 1280, height: 860 });
    await page.route('**/api/class/statistics/*', (route) => route.fulfill({ json: statisticsOf('05-layernorm', cases) }));
    await page.goto(`${server.url}/class/tasks/05-layernorm`);
    await page.locator('#cases-heading').waitFor();
    await take('class-statistics', page);
  } finally {
    await server.remove();
  }
}
