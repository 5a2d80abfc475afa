// A class against a real server and database: an instructor's day, what a learner may see, sessions that end, a database that goes away, and
// names that mean no good. Without a PostgreSQL server installed all of it is skipped.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page, Route } from 'playwright-core';
import { violations } from './axe';
import { launch, newPage } from './browser';
import { accept, invitePeople, kPassword, serveClass, signIn, type ClassServer } from './class_server';
import { postgresPrograms } from './postgres';
import { editorText, fillBlank, kGood, kNoClamp, openTask, overflows, runAll, saved, tabTo } from './steps';

const kTask = '05-layernorm';
const kHostile = ['<img src=x onerror=alert(1)>', '\u202egnp.exe', '"=1+1"', 'x'.repeat(180)];

describe('class', { skip: postgresPrograms() ? false : 'no PostgreSQL server is installed (apt-get install postgresql)' }, () => {
  let server: ClassServer;
  let browser: Browser;
  let ada: Page, adaErrors: string[]; // the instructor
  let ben: Page, benErrors: string[]; // a learner
  let links: Record<string, string>;

  before(async () => {
    server = await serveClass();
    browser = await launch();
    ({ page: ada, errors: adaErrors } = await accept(browser, server.invite('ada', 'Ada Lovelace')));
  });
  after(async () => {
    await browser?.close();
    await server?.remove();
  });

  test('an instructor comes in by invitation, looks at what a roster would do, and invites', async () => {
    await ada.waitForURL('**/class');
    await ada.getByText('Nobody is in the class yet.').waitFor();
    await ada.goto(`${server.url}/class/people`);
    await ada.getByText('Import a roster').click();
    const field = ada.getByLabel('or paste the lines here');
    await field.fill('login,name\nben,Ben Okri\nben,Twice');
    assert.match(await ada.getByRole('alert').innerText(), /line 3, column 1: login 'ben' stands in line 2 already/);
    await field.fill('login,name\nred,\u001b[31mred');
    assert.match(await ada.getByRole('alert').innerText(), /line 2, column 5: the name holds a control character/);
    await field.fill('login,name\nb\u00f6b,Bob');
    assert.match(await ada.getByRole('alert').innerText(), /line 2, column 1: login 'b\u00f6b' holds a sign that a login has not: letters a to z, digits/);
    // As an older spreadsheet writes an umlaut.
    await ada.locator('#roster-file').setInputFiles({ name: 'class.csv', mimeType: 'text/csv', buffer: Buffer.from('login,name\nbob,B\u00f6b', 'latin1') });
    await ada.getByRole('alert').filter({ hasText: 'The file is not UTF-8 text: save it as "CSV UTF-8".' }).waitFor();
    assert.match(await field.inputValue(), /b\u00f6b/); // what stood there stays
    await ada.locator('#roster-file').setInputFiles({ name: 'class.csv', mimeType: 'text/csv', buffer: Buffer.from('login,name\nbob,B\u00f6b', 'utf8') });
    await ada.locator('.panel .data th', { hasText: 'B\u00f6b' }).waitFor();
    await field.fill('login,name\nada,Ada King');
    await ada.getByText('is renamed, was Ada Lovelace').waitFor();
    await field.fill('');
    links = await invitePeople(ada, server.url, `login,name\nben,Ben Okri\nchen,王小明\n${kHostile.map((name, n) => `bad${n},"${name.replace(/"/g, '""')}"`).join('\n')}`);
    assert.deepEqual(Object.keys(links).sort(), ['bad0', 'bad1', 'bad2', 'bad3', 'ben', 'chen']);
    assert.match(links.ben ?? '', new RegExp(`^${server.url}/invitations/.{20,}`));
  });

  test('an invitation is good once; a password is at least ten characters', async () => {
    const { page } = await newPage(browser);
    await page.goto(links.ben ?? '');
    await page.getByText('Ben Okri').waitFor();
    await page.getByLabel('Choose a password').fill('short');
    await page.getByRole('button', { name: 'Save the password and begin' }).click();
    assert.match(await page.getByRole('alert').innerText(), /5 characters so far; at least 10/);
    ({ page: ben, errors: benErrors } = await accept(browser, links.ben ?? ''));
    await ben.locator('.next').first().waitFor(); // a learner comes to the map
    await page.reload();
    await page.getByRole('heading', { name: 'not valid any more' }).waitFor();
  });

  test('a learner hands in a wrong file, and answers', async () => {
    await openTask(ben, server.url, kTask);
    await fillBlank(ben, kNoClamp);
    await saved(ben);
    await runAll(ben);
    await ben.getByRole('tab', { name: 'Questions' }).click();
    await ben.locator('#question-variance-of-a-row input').fill('1');
    await ben.locator('#question-explanation textarea').fill('<b>bold</b> \u202eclaim: the variance may be negative.');
    await ben.getByRole('button', { name: 'Hand in the answers' }).click();
    await ben.locator('#answers-total').waitFor();
    assert.deepEqual(benErrors, []);
  });

  test('the matrix shows it, and arrows and Enter lead to the evidence', async () => {
    await ada.goto(`${server.url}/class`);
    await ada.getByRole('searchbox').fill('ben');
    await ada.locator('#matrix-shown', { hasText: /^1 of/ }).waitFor();
    await ada.getByRole('searchbox').press('Tab');
    await tabTo(ada, '[data-at]');
    await ada.keyboard.press('Home');
    for (let n = 0; n < 4; ++n) await ada.keyboard.press('ArrowRight');
    assert.match((await ada.locator(':focus').getAttribute('aria-label')) ?? '', /^Ben Okri, 05-layernorm: \S+ points, not passed, .*1 attempt$/);
    await ada.keyboard.press('Enter');
    await ada.locator('.cm-content').waitFor();
    assert.match(await editorText(ada), /mean_square - mean \* mean \+ eps/);
    assert.ok((await ada.locator('[data-verdict="WA"]').count()) > 0);
    assert.match(await ada.locator('.case').innerText(), /y\[\d+\]\[\d+\]/);
    assert.equal(await ada.getByRole('button', { name: 'Run only this' }).count(), 0);
    await ada.locator('.cm-line', { hasText: 'mean_square - mean * mean' }).click();
    await ada.keyboard.type('not mine to change');
    assert.doesNotMatch(await editorText(ada), /not mine to change/);
    assert.match(await ada.locator('blockquote').innerText(), /<b>bold<\/b> ⟨U\+202E⟩claim/);
  });

  test('points are set with a reason, shown in the matrix, kept in the history, and lifted', async () => {
    const box = ada.getByRole('region', { name: 'Points set by a person' });
    await box.getByLabel('Points', { exact: true }).fill('7.5');
    await box.getByRole('button', { name: 'Set the points' }).click();
    await box.getByText('A reason is needed.').waitFor();
    await box.getByLabel('Reason').fill('explained it at the board\n<script>alert(1)</script>');
    await box.getByRole('button', { name: 'Set the points' }).click();
    await ada.locator('#counts', { hasText: '7.5 points' }).waitFor();
    assert.match(await box.locator('ol').innerText(), /set to 7\.5\s+by Ada Lovelace[\s\S]*<script>/);
    await ada.getByRole('link', { name: 'Progress' }).click();
    await ada.locator('a[aria-label^="Ben Okri, 05-layernorm: 7.5 points"][aria-label*="points set by a person"]').waitFor();
    await ada.goBack();
    await box.getByLabel('Reason').fill('was for another task');
    await box.getByRole('button', { name: /^Lift it/ }).click();
    await box.locator('li', { hasText: 'lifted' }).waitFor();
    assert.equal(await box.locator('li').count(), 2);
  });

  test('statistics name the case that fails, and a rejudge shows before it acts', async () => {
    await ada.getByRole('link', { name: 'Statistics of the task' }).click();
    await ada.getByText('1 learner has tried it').waitFor();
    assert.match(await ada.locator('.cases tbody tr').first().innerText(), /1 of 1/);
    await ada.getByText('1 WA').waitFor();
    await ada.getByRole('button', { name: 'See what would change' }).click();
    await ada.locator('section', { hasText: 'Rejudge' }).getByText('Nothing would change.').waitFor({ timeout: 60_000 });
    const attempts = await ada.evaluate(async () => {
      const people = (await (await fetch('/api/class/progress')).json()) as { people: { login: string; cells: { attempts: number }[] }[] };
      return people.people.find((p) => p.login === 'ben')?.cells.reduce((sum, c) => sum + c.attempts, 0);
    });
    assert.equal(attempts, 1);
  });

  test('a rejudge is shown in full before it is applied, changes nothing until then, and is recorded once', async () => {
    const own = await serveClass();
    try {
      const { page: eve, errors } = await accept(browser, own.invite('eve', 'Eve'));
      const people = await invitePeople(eve, own.url, 'login,name\nada,<i>Ada</i>');
      const { page: learner } = await accept(browser, people.ada ?? '');
      await openTask(learner, own.url, kTask);
      await fillBlank(learner, kGood);
      await saved(learner);
      await runAll(learner);
      const handedIn = (): Promise<(string | null)[]> =>
        learner.evaluate(async (task) => ((await (await fetch(`/api/tasks/${task}/attempts`)).json()) as { attempts: { verdict: string | null }[] }).attempts.map((one) => one.verdict), kTask);
      assert.deepEqual(await handedIn(), ['AC']);
      await learner.goto('about:blank');
      await eve.goto('about:blank');
      // What overflows float32 in one step of it: no kernel is right.
      await own.addCases(kTask, '<cases><boundary name="too-far" rows="1" cols="2" about="x"><fill tensor="x" kind="ramp" value="3e38" step="-6e38"/></boundary></cases>');
      await learner.goto(own.url);

      // Two tabs look at the same attempt.
      const other = await eve.context().newPage();
      for (const page of [eve, other]) {
        await page.goto(`${own.url}/class/tasks/${kTask}`);
        await page.getByRole('button', { name: 'See what would change' }).click();
        await page.locator('#rejudge-changes').waitFor({ timeout: 60_000 });
        assert.match(await page.locator('#rejudge-changes tbody tr').innerText(), /<i>Ada<\/i>\s+✓ AC \S+\s+✗ WA \S+ fewer points\s+further-1/);
      }
      assert.deepEqual(await handedIn(), ['AC']);
      await eve.reload(); // the rejudge is found again
      await eve.getByRole('button', { name: 'Record 1 new result' }).click();
      await eve.getByText('1 new result is on record.').waitFor();
      assert.deepEqual(await handedIn(), ['WA', 'AC']);
      await other.getByRole('button', { name: 'Record 1 new result' }).click();
      await other.getByText('Nothing was recorded.').waitFor();
      assert.match(await other.locator('section', { hasText: 'Rejudge' }).locator('li').innerText(), /^<i>Ada<\/i>: another rejudge of this attempt was applied since/);
      assert.deepEqual(await violations(other), []);
      assert.deepEqual(await handedIn(), ['WA', 'AC']);
      await eve.goto(`${own.url}/class`);
      await eve.locator('a[aria-label*="05-layernorm"][aria-label*="points set by a person"]').click();
      await eve.getByText('judged again: WA in place of AC, not accepted: further-1').waitFor();

      // One that is looked at and dropped.
      await other.getByRole('button', { name: 'See what would change' }).click();
      await other.locator('#rejudge-changes').waitFor({ timeout: 60_000 });
      await other.getByRole('button', { name: 'Change nothing' }).click();
      await other.locator('#rejudge-changes').waitFor({ state: 'detached' });
      assert.deepEqual(await handedIn(), ['WA', 'AC']);
      assert.deepEqual(errors, []);
      await learner.context().close();
      await eve.context().close();
    } finally {
      await own.remove();
    }
  });

  test('the gradebook as files', async () => {
    await ada.goto(`${server.url}/class`);
    for (const [button, name, holds] of [
      ['CSV', 'gradebook.csv', /Ben Okri/],
      ['Gradescope', 'gradebook-gradescope.json', /"score"/],
      ['LMS', 'gradebook-lms.json', /scoreGiven/],
    ] as const) {
      const [file] = await Promise.all([ada.waitForEvent('download'), ada.getByRole('button', { name: button }).click()]);
      assert.equal(file.suggestedFilename(), name);
      let text = '';
      for await (const part of await file.createReadStream()) text += String(part);
      assert.match(text, holds);
    }
    assert.deepEqual(adaErrors, []);
  });

  test('names that mean no good are shown and do nothing', async () => {
    const alerts: string[] = [];
    ada.on('dialog', (dialog) => {
      alerts.push(dialog.message());
      void dialog.dismiss();
    });
    await ada.goto(`${server.url}/class`);
    await ada.locator('tbody th', { hasText: '<img src=x' }).waitFor();
    const shown = await ada.locator('tbody th').allInnerTexts();
    assert.ok(shown.some((name) => name.startsWith('\u27e8U+202E\u27e9gnp')), shown.join());
    await ada.goto(`${server.url}/class/people`);
    await ada.locator('tbody th', { hasText: '<img src=x' }).waitFor();
    assert.equal(await ada.locator('main img').count(), 0);
    assert.deepEqual(alerts, []);
    assert.equal(await overflows(ada), false);
  });

  test('a learner sees only what is theirs', async () => {
    await ben.goto(server.url);
    await ben.locator('.next').first().waitFor();
    assert.equal(await ben.getByRole('link', { name: 'Class', exact: true }).count(), 0);
    const codes = await ben.evaluate(async () => {
      const out: Record<string, number> = {};
      for (const path of ['/api/class/people', '/api/class/progress', '/api/class/gradebook?format=csv', '/api/class/people/1/tasks/05-layernorm', '/api/class/attempts/1', '/api/class/statistics/05-layernorm'])
        out[path] = (await fetch(path)).status;
      return out;
    });
    assert.deepEqual([...new Set(Object.values(codes))], [403]);
    for (const path of ['/class', '/class/people', `/class/tasks/${kTask}`]) {
      await ben.goto(server.url + path);
      await ben.getByRole('heading', { name: 'This page is for instructors.' }).waitFor();
    }
    const { page: chen } = await accept(browser, links.chen ?? '');
    const attempt = await ben.evaluate(async (task) => ((await (await fetch(`/api/tasks/${task}/attempts`)).json()) as { attempts: { id: number }[] }).attempts[0]?.id, kTask);
    assert.ok(attempt);
    assert.equal(await chen.evaluate(async (id) => (await fetch(`/api/attempts/${id}`)).status, attempt), 404);
    assert.deepEqual(await chen.evaluate(async (task) => ((await (await fetch(`/api/tasks/${task}/attempts`)).json()) as { attempts: unknown[] }).attempts, kTask), []);
    await chen.context().close();
  });

  test('a session that ends while somebody types loses nothing', async () => {
    await openTask(ben, server.url, kTask);
    await ben.getByRole('tab', { name: 'Questions' }).click();
    await ben.locator('#question-explanation textarea').fill('typed before the end');
    await ben.context().clearCookies();
    await fillBlank(ben, 'const float scale = 4.0f;  // typed without a session');
    await ben.getByText('Your session has ended.').waitFor();
    await signIn(ben, 'ben', 'not the password');
    await ben.getByRole('alert').waitFor();
    await signIn(ben, 'ben');
    await ben.waitForURL(`**/tasks/${kTask}`);
    await ben.locator('.cm-content', { hasText: 'typed without a session' }).waitFor();
    await saved(ben);
    await ben.getByRole('tab', { name: 'Questions' }).click();
    assert.equal(await ben.locator('#question-explanation textarea').inputValue(), 'typed before the end');
    await ben.reload();
    await ben.locator('.cm-content', { hasText: 'typed without a session' }).waitFor();
  });

  test('what one person typed is not shown to the next at the same browser', async () => {
    await openTask(ben, server.url, '04-rmsnorm');
    await ben.locator('.cm-content').waitFor();
    await ben.context().clearCookies();
    await fillBlank(ben, '// of ben');
    await ben.getByText('Your session has ended.').waitFor();
    await signIn(ben, 'chen');
    await ben.locator('.cm-content').waitFor();
    assert.doesNotMatch(await editorText(ben), /of ben/);
    await ben.getByRole('button', { name: 'Sign out' }).click();
    await signIn(ben, 'ben');
    await ben.getByRole('button', { name: 'Sign out' }).waitFor();
    await openTask(ben, server.url, '04-rmsnorm');
    await ben.locator('.cm-content', { hasText: 'of ben' }).waitFor();
    await saved(ben);
  });

  test('somebody else signs in in another tab: this one writes nothing into their file', async () => {
    await openTask(ben, server.url, '06-safe-softmax');
    await ben.locator('.cm-content').waitFor();
    const other = await ben.context().newPage();
    await other.goto(server.url);
    await other.getByRole('button', { name: 'Sign out' }).click();
    await signIn(other, 'chen');
    await other.locator('.next').first().waitFor();
    await fillBlank(ben, 'typed_by_ben');
    await ben.waitForURL(server.url + '/');
    await openTask(other, server.url, '06-safe-softmax');
    assert.doesNotMatch(await editorText(other), /typed_by_ben/);
    await other.getByRole('button', { name: 'Sign out' }).click();
    await signIn(other, 'ben');
    await other.getByRole('button', { name: 'Sign out' }).waitFor();
    await openTask(other, server.url, '06-safe-softmax');
    await other.locator('.cm-content', { hasText: 'typed_by_ben' }).waitFor();
    await saved(other);
    await other.close();
  });

  test('a form of an instructor survives the end of a session, and sign-out leads to the sign-in page', async () => {
    await ada.goto(`${server.url}/class`);
    await ada.locator('a[aria-label^="Ben Okri, 05-layernorm"]').click();
    await ada.getByLabel('Reason').fill('a long reason');
    await ada.context().clearCookies();
    await ada.getByLabel('Points', { exact: true }).fill('3');
    await ada.getByRole('button', { name: 'Set the points' }).click();
    await ada.getByText('Your session has ended.').waitFor();
    await signIn(ada, 'ada');
    assert.equal(await ada.getByLabel('Reason').inputValue(), 'a long reason');
    // However long the server takes: who is on the way out is not led back in.
    const slowly = async (route: Route): Promise<void> => {
      if (route.request().method() === 'DELETE') await new Promise((later) => setTimeout(later, 700));
      await route.continue();
    };
    await ada.route('**/api/session', slowly);
    const out = ada.waitForResponse((answer) => answer.request().method() === 'DELETE');
    await ada.getByRole('button', { name: 'Sign out' }).click();
    await ada.waitForURL('**/sign-in');
    await out;
    await ada.unroute('**/api/session', slowly);
    await ada.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.equal(new URL(ada.url()).pathname + new URL(ada.url()).search, '/sign-in');
    assert.equal(await ada.evaluate(async () => (await fetch('/api/class/people')).status), 401);
    await signIn(ada, 'ada');
    await ada.waitForURL('**/class');
  });

  test('a database that goes away and returns', async () => {
    await openTask(ben, server.url, kTask);
    await server.database.stop();
    await ada.reload();
    await ada.locator('[role="alert"]').waitFor({ timeout: 30_000 });
    await fillBlank(ben, 'const float scale = 5.0f;  // without a database');
    await server.database.start();
    await saved(ben);
    await ada.reload();
    await ada.locator('tbody th', { hasText: 'Ben Okri' }).waitFor({ timeout: 30_000 });
    await ben.reload();
    await ben.locator('.cm-content', { hasText: 'without a database' }).waitFor({ timeout: 30_000 });
  });

  test('a link for who lost the password; who is removed cannot sign in', async () => {
    await ada.goto(`${server.url}/class/people`);
    await ada.getByRole('button', { name: 'Fresh link for 王小明' }).click();
    assert.match(await ada.locator('#fresh-link').innerText(), /\/invitations\//);
    await ada.keyboard.press('Escape');
    await ada.getByRole('button', { name: 'Remove 王小明' }).click();
    await ada.getByRole('dialog').getByRole('button', { name: 'Keep' }).click();
    assert.equal(await ada.locator('tbody th', { hasText: '王小明' }).count(), 1);
    await ada.getByRole('button', { name: 'Remove 王小明' }).click();
    await ada.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await ada.locator('tbody th', { hasText: '王小明' }).waitFor({ state: 'detached' });
    const { page } = await newPage(browser);
    await page.goto(`${server.url}/sign-in`);
    await signIn(page, 'chen');
    await page.getByText('Login or password is wrong.').waitFor();
    await page.context().close();
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`no violation of WCAG 2.2 AA on the pages of a class, ${colorScheme}; Chinese; 360 px`, async () => {
      const bad: string[] = [];
      const check = async (page: Page, name: string): Promise<void> => {
        for (const line of await violations(page)) bad.push(`${name}: ${line}`);
      };
      const { page, errors } = await newPage(browser, { colorScheme, ...(colorScheme === 'dark' ? { locale: 'zh-CN' } : {}) });
      await page.goto(`${server.url}/class`);
      await page.locator('form').waitFor();
      await check(page, 'sign-in');
      await page.goto(`${server.url}/invitations/none`);
      await page.locator('h1').waitFor();
      await check(page, 'no invitation');
      await page.goto(links.bad0 ?? '');
      await page.locator('#password').waitFor();
      await check(page, 'invitation');
      await page.goto(`${server.url}/sign-in`);
      await page.locator('input[name="login"]').fill('ada');
      await page.locator('#password').fill(kPassword);
      await page.keyboard.press('Enter');
      await page.locator('tbody a').first().waitFor();
      await check(page, 'matrix');
      await page.goto(`${server.url}/class/people`);
      await page.locator('summary').click();
      await page.locator('textarea').fill('login,name\nnew,New Person');
      await page.locator('.panel .data').first().waitFor();
      await check(page, 'people');
      await page.goto(`${server.url}/class`);
      await page.locator('a[aria-label^="Ben Okri, 05-layernorm"],a[aria-label^="Ben Okri，05-layernorm"]').click();
      await page.locator('.cm-content').waitFor();
      if (colorScheme === 'dark') await page.getByText('参考值有限而结果是 NaN 或无穷').waitFor(); // reasons have Chinese words
      await check(page, 'submission');
      const submission = page.url();
      await page.goto(`${server.url}/class/tasks/${kTask}`);
      await page.locator('#cases-heading').waitFor();
      await check(page, 'statistics');
      if (colorScheme === 'dark') await page.getByRole('heading', { name: '重新评判' }).waitFor();
      await page.setViewportSize({ width: 360, height: 740 });
      for (const path of ['/class', '/class/people', `/class/tasks/${kTask}`, new URL(submission).pathname]) {
        await page.goto(server.url + path);
        await page.locator('main .data, main [role="grid"], main .cm-content').first().waitFor();
        assert.equal(await overflows(page), false, `${path} is wider than 360 px`);
      }
      await check(page, 'narrow submission');
      assert.deepEqual(bad, []);
      assert.deepEqual(errors.filter((e) => !/40[14]/.test(e)), []);
      await page.context().close();
    });
  }

  test('500 people by 30 tasks: few cells are drawn, keys and the search answer at once', async () => {
    const { page } = await newPage(browser);
    await page.goto(`${server.url}/sign-in`);
    await signIn(page, 'ada');
    await page.waitForURL('**/class');
    const tasks = Array.from({ length: 30 }, (_, n) => ({ id: `${String(n + 1).padStart(2, '0')}-task`, title: `Task ${n + 1}` }));
    const cell = (task: string, n: number) => ({ task, attempts: n % 4, best_points: n % 11, points: n % 11, passed: n % 11 > 6, medal: n % 11 > 9, provisional: n % 7 === 0, override: null });
    const people = Array.from({ length: 500 }, (_, n) => ({ id: n + 1, login: `l${n}`, name: `Learner ${n}`, total: n, cells: tasks.map((t, k) => cell(t.id, n + k)) }));
    await page.route('**/api/class/progress', (route) => route.fulfill({ json: { tasks, people } }));
    // Processor time of the page, so that a busy machine changes nothing.
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    let before = 0;
    const spent = async (): Promise<number> => {
      const { metrics } = await session.send('Performance.getMetrics');
      const now = 1000 * (metrics.find((m) => m.name === 'TaskDuration')?.value ?? 0);
      const since = now - before;
      before = now;
      return since;
    };
    await page.goto('about:blank');
    await spent();
    await page.goto(`${server.url}/class`);
    await page.locator('[data-at="0 0"]').waitFor();
    const drawn = await spent();
    assert.ok((await page.locator('tbody td').count()) < 1500);
    await page.locator('[data-at="0 0"]').focus();
    await spent();
    for (let n = 0; n < 40; ++n) await page.keyboard.press('ArrowDown');
    for (let n = 0; n < 10; ++n) await page.keyboard.press('PageDown');
    const key = (await spent()) / 50;
    await page.keyboard.press('Control+End');
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('data-at')), '499 29');
    await page.keyboard.press('Control+Home');
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('data-at')), '0 0');
    await spent();
    await page.getByRole('searchbox').fill('learner 12');
    await page.locator('#matrix-shown', { hasText: '11 of 500' }).waitFor();
    const found = await spent();
    console.log(`500 x 30, processor time of the page: drawn ${drawn.toFixed(0)} ms, a key ${key.toFixed(0)} ms, a search ${found.toFixed(0)} ms`);
    assert.ok(drawn > 0 && drawn < 2000 && key < 100 && found < 300, `drawn ${drawn} ms, ${key} ms a key, search ${found} ms`);
    await page.context().close();
  });
});
