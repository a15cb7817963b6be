import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import axe, { type AxeResults } from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { claimTask } from '../../../src/tasks/claims.ts';
import { createTasks } from '../../../src/tasks/task-create.ts';
import { openTaskStore } from '../../../src/tasks/task-store.ts';
import { openTodoStore } from '../../../src/todo/todo-store.ts';
import { eventually } from '../../helpers/eventually.ts';
import { cleanEnvironment, executable, startProgram } from '../../helpers/executables.ts';
import { temporaryDirectory } from '../../helpers/files.ts';
import { listFolder, taskListFolder } from '../../helpers/list-folders.ts';
import { plan, todos } from '../../screen/panel/todos.ts';

// `npm run test:web`: what people see in a browser. SCREENSHOTS=FOLDER keeps pictures of it, to be looked at.

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);
const PICTURES = process.env.SCREENSHOTS;

let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox'] });
}, 60_000);
afterAll(() => browser?.close());

interface Served {
  state: string;
  url: string;
  child: ChildProcess;
}

async function serve(state: string, ...argv: string[]): Promise<Served> {
  const env = cleanEnvironment({ TODO_STATE_DIR: state, HOME: state, XDG_STATE_HOME: '' });
  const watch = ['watch', '--web', '--session', 's', ...argv];
  const { child, lines } = startProgram(executable('agent-shell'), watch, { cwd: state, env });
  const url = await eventually('the URL', () => lines()[0]);
  return { state, url, child };
}

const storeOf = (state: string, agent: string) =>
  openTodoStore({ folder: listFolder(state, { session: 's', agent }), author: agent });

/** Two tasks of a team, one blocked by the other. */
async function startTeam(state: string): Promise<void> {
  const tasks = [
    { subject: 'Task 1', owner: 'ann' },
    { subject: 'Task 2', owner: 'ann', blockedBy: [{ place: 0 }] },
  ];
  const store = openTaskStore({ folder: taskListFolder(state, 's') });
  await store.change((graph, at) => createTasks(graph, tasks, at), undefined, 'ann');
}

type Options = Parameters<Browser['newContext']>[0];

/** In a context that ends with the test. */
async function newPage(options: Options = {}): Promise<Page> {
  const context = await browser.newContext(options);
  onTestFinished(() => context.close());
  return context.newPage();
}

async function open(url: string, options?: Options): Promise<Page> {
  const page = await newPage(options);
  page.on('pageerror', (error) => {
    throw error;
  });
  await page.goto(url);
  await page.getByText('live', { exact: true }).waitFor();
  return page;
}

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
}

/** A page that shows this list of an agent. */
async function pageOf(...items: string[]) {
  const state = temporaryDirectory();
  const store = storeOf(state, 'main');
  store.update(todos(...items));
  const { url, child } = await serve(state);
  const page = await open(url);
  await page.locator('#lists li').first().waitFor();
  return { state, store, url, child, page };
}

test('the list shows, and each change of it, without a reload', async () => {
  const { store, page } = await pageOf('x Analyze', '> Build', '- Ship');
  await page.getByRole('article', { name: 'List of main' }).waitFor();
  expect(await page.locator('li.in_progress .words').innerText()).toContain('Doing Build...');
  store.update(todos('x Analyze', 'x Build', '> Ship'));
  await page.getByText('Doing Ship...').waitFor();
  expect(await page.getByRole('progressbar', { name: /^main/ }).getAttribute('aria-label')).toBe(
    'main: 2 of 3 completed',
  );
  expect(await page.getByRole('log').innerText()).toContain('main: completed: Build');
  // A change of state shows for a moment, then settles.
  expect(await page.locator('li.fresh').count()).toBe(2);
  await page.locator('li.fresh').first().waitFor({ state: 'detached' });
  expect(await page.locator('li.fresh').count()).toBe(0);
});

test('a hostile list is text', async () => {
  const state = temporaryDirectory();
  const hostile =
    '<img src=x onerror="document.title=1"><script>document.title=2</script>\u202egnp.exe\x1b[31m';
  storeOf(state, '<b>agent</b>').update([
    { content: hostile, activeForm: hostile, status: 'in_progress' },
    { content: `${'x'.repeat(199)}`, activeForm: 'y', status: 'pending' },
  ]);
  const page = await open((await serve(state)).url, { viewport: { width: 360, height: 740 } });
  await page.locator('.in_progress', { hasText: '<img src=x onerror' }).waitFor();
  expect(await page.locator('#lists img, #lists script, #lists b').count()).toBe(0);
  expect(await page.title()).toBe('0/2 · s');
  expect(await page.locator('li').first().innerText()).not.toMatch(/\u202e|\x1b/);
  expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
  await picture(page, 'hostile');
});

test('a page that is open finds its server again after a restart', async () => {
  const { state, store, url, child, page } = await pageOf('> Build');
  const { port } = new URL(url);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await page.getByText('no connection; trying again').waitFor();
  // After an answer without events the browser itself gives up.
  const busy = createServer((_request, response) => response.writeHead(503).end());
  busy.listen(Number(port), '127.0.0.1');
  for (let answers = 0; answers < 2; answers++) await once(busy, 'request');
  busy.closeAllConnections();
  busy.close();
  store.update(todos('x Build', '> Ship'));
  const second = await serve(state, '--port', port);
  expect(second.url).toBe(url);
  await page.getByText('Doing Ship...').waitFor();
  await page.getByText('live', { exact: true }).waitFor();
});

test('a page whose server falls silent says so, and finds it again', async () => {
  const state = temporaryDirectory();
  const store = storeOf(state, 'main');
  store.update(todos('> Build'));
  const { url, child } = await serve(state);
  const page = await newPage();
  await page.clock.install();
  await page.goto(url);
  await page.getByText('live', { exact: true }).waitFor();
  await page.getByText('Doing Build...').waitFor();
  child.kill('SIGSTOP');
  await page.clock.runFor(60_000);
  await page.getByText('no connection; trying again').waitFor();
  store.update(todos('> Ship'));
  child.kill('SIGCONT');
  await page.getByText('Doing Ship...').waitFor();
  expect(await page.getByRole('status').innerText()).toBe('live');
});

test('without JavaScript the page says that it needs it', async () => {
  const { url } = await serve(temporaryDirectory());
  const page = await newPage({ javaScriptEnabled: false });
  await page.goto(url);
  expect(await page.locator('main').innerText()).toContain('This page needs JavaScript.');
});

test('another page in the same browser cannot read it', async () => {
  const state = temporaryDirectory();
  storeOf(state, 'main').update(todos('> Secret'));
  const { url } = await serve(state);
  const evil = createServer((_request, response) => response.end('<title>evil</title>'));
  evil.listen(0, '127.0.0.1');
  await once(evil, 'listening');
  onTestFinished(() => void evil.close());
  const page = await newPage();
  await page.goto(`http://127.0.0.1:${(evil.address() as AddressInfo).port}/`);
  const read = (mode: string) =>
    page.evaluate(
      `fetch(${JSON.stringify(`${url}events`)}, { mode: '${mode}' }).then((answer) => answer.text()).catch(() => 'refused')`,
    );
  expect(await read('cors')).toBe('refused');
  expect(await read('no-cors')).not.toContain('Secret');
});

test('a session without a list yet is the one that is chosen, and shows its first list', async () => {
  const state = temporaryDirectory();
  openTodoStore({ folder: listFolder(state, { session: 'other', agent: 'bob' }) }).update(
    todos('> Review'),
  );
  const page = await open((await serve(state)).url);
  await page.getByText('No list here yet.').waitFor();
  expect([await page.title(), await page.locator('#title').innerText()]).toEqual(['s', 's']);
  const choice = page.getByLabel('Session');
  expect(await choice.locator('option:checked').innerText()).toBe('s');
  expect(await choice.locator('option').allInnerTexts()).toEqual(['s', 'other']);
  storeOf(state, 'main').update(todos('> Build'));
  await page.getByText('Doing Build...').waitFor();
});

test('sessions can be chosen, and history opened, by the keyboard', async () => {
  const { state, page } = await pageOf('> Build');
  openTodoStore({ folder: join(state, 'other', 'main') }).update(todos('> Elsewhere'));
  await page.getByLabel('Session').locator('option').nth(1).waitFor({ state: 'attached' });
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.id')).toBe('sessions');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText(/^1 · .* · main: began "Build"; 1 added$/).waitFor();
  await page.getByLabel('Session').selectOption({ label: 'other' });
  await page.getByText('Doing Elsewhere...').waitFor();
  expect(await page.getByText('Doing Build...').count()).toBe(0);
});

const CORNER = { position: { x: 10, y: 10 } };

describe.each([375, 1280])('in a window of %d pixels', (width) => {
  test.each([
    ['nothing', async () => {}],
    ['a history', (page: Page) => page.getByRole('button', { name: 'History' }).last().click()],
    ['an item', (page: Page) => page.locator('li.pending .words').last().dblclick(CORNER)],
    [
      'the sessions, before scrolling down',
      async (page: Page) => {
        await page.getByLabel('Session').focus();
        await page.evaluate('scrollTo(0, document.body.scrollHeight)');
      },
    ],
  ])('updates move nothing for who has scrolled down and clicked on %s', async (what, click) => {
    const state = temporaryDirectory();
    const stores = Array.from({ length: 8 }, (_, agent) => storeOf(state, `agent-${agent}`));
    for (const store of stores) store.update(plan(30, 0));
    const page = await open((await serve(state)).url, { viewport: { width, height: 600 } });
    await page.getByRole('article').nth(7).waitFor();
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await click(page);
    // Columns grow apart: who has clicked on nothing keeps what is at the top of the window.
    const rows = await page.locator('article > ul:not(.history) > li').elementHandles();
    const tops = await Promise.all(rows.map(async (row) => (await row.boundingBox())?.y ?? -1));
    const looked =
      what === 'an item'
        ? rows.at(-1)
        : what === 'a history'
          ? await page.getByRole('button', { name: 'History' }).last().elementHandle()
          : rows[tops.findIndex((y) => y >= 0)];
    const place = async () => ({
      ...(await looked?.boundingBox()),
      selected: await page.evaluate('getSelection().toString()'),
      focused: await page.evaluate('document.activeElement.tagName'),
      open: await page.locator('[aria-expanded=true]').count(),
    });
    const before = await place();
    if (what === 'an item') expect(before.selected).toContain('step');
    if (what === 'a history') expect(before).toMatchObject({ open: 1, focused: 'BUTTON' });
    // A list above grows, another becomes shorter, and the one itself changes.
    stores[6]?.update(plan(40, 1));
    stores[5]?.update(plan(20, 2));
    stores[7]?.update(plan(30, 3));
    await page.getByRole('article', { name: 'List of agent-7' }).getByText('3/30').waitFor();
    await page.getByRole('article', { name: 'List of agent-5' }).getByText('2/20').waitFor();
    await page.getByRole('article', { name: 'List of agent-6' }).getByText('1/40').waitFor();
    const after = await place();
    const { y = 0 } = before;
    expect({ ...after, y: Math.abs((after.y ?? 0) - y) < 2 ? y : after.y }).toEqual(before);
  });
});

test('opening a history moves no other list to another column', async () => {
  const page = await busyPage({ viewport: { width: 1280, height: 800 } });
  const lists = page.getByRole('article', { name: /^List of/ });
  await lists.nth(9).waitFor();
  const columns = () => lists.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().x));
  const before = await columns();
  expect(new Set(before).size).toBe(3);
  for (const history of await page.getByRole('button', { name: 'History' }).all()) {
    await history.click();
    expect(await columns()).toEqual(before);
  }
  await picture(page, 'columns');
});

test('the focus stays where it is when other agents begin', async () => {
  const { state, page } = await pageOf('> Build');
  await page.getByRole('button', { name: 'History' }).focus();
  storeOf(state, 'ann').update(todos('- Ship'));
  await page.getByRole('article', { name: 'List of ann' }).waitFor();
  const own = page.getByRole('article', { name: 'List of main' });
  expect(await own.evaluate((card) => card.contains(document.activeElement))).toBe(true);
});

test('the chosen session is in the URL: a reload, a bookmark and the back button lead to it', async () => {
  const { state, url, page } = await pageOf('> Build');
  const other = { session: 'other', agent: 'main' };
  openTodoStore({ folder: listFolder(state, other) }).update(todos('> Elsewhere'));
  await page.getByLabel('Session').selectOption({ label: 'other' });
  await page.getByText('Doing Elsewhere...').waitFor();
  expect(page.url()).toMatch(/\?session=./);
  await page.reload();
  await page.getByText('Doing Elsewhere...').waitFor();
  expect(await page.locator('option:checked').innerText()).toBe('other');
  const bookmarked = await open(page.url());
  await bookmarked.getByText('Doing Elsewhere...').waitFor();
  await page.goBack();
  await page.getByText('Doing Build...').waitFor();
  await page.goForward();
  await page.getByText('Doing Elsewhere...').waitFor();
  await page.goto(`${url}?session=gone`);
  await page.getByText('The session in the address has no lists here').waitFor();
  await page.getByText('Doing Build...').waitFor();
});

test.each([
  ['de-DE', / \d\d:\d\d$/],
  ['en-US', / \d\d:\d\d [AP]M$/],
])('times are written as in %s, and a completed item says what it took', async (locale, time) => {
  const state = temporaryDirectory();
  const store = storeOf(state, 'main');
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ now: new Date('2025-05-05T09:30:00'), toFake: ['Date'] });
  store.update(todos('> Analyze', '- Build', '- Ship'));
  vi.setSystemTime(new Date('2025-05-05T09:32:10'));
  store.update(todos('x Analyze', '> Build', '- Ship'));
  vi.useRealTimers();
  store.update(todos('x Analyze', 'x Build', '> Ship'));
  const page = await open((await serve(state)).url, { locale });
  await page.getByText('Doing Ship...').waitFor();
  expect(await page.locator('#lists .in_progress .time').innerText()).toMatch(/^\ds$/);
  await page.getByRole('button', { name: '2 completed' }).click();
  const completed = page.locator('li.completed');
  expect(await completed.first().locator('.time').innerText()).toBe('2m 10s');
  const titles = await completed.evaluateAll((all) => all.map((one) => one.getAttribute('title')));
  expect(titles).toEqual(['completed 2025-05-05', expect.stringMatching(time)]);
  await page.getByRole('button', { name: 'History' }).click();
  await page.locator('.history li').first().waitFor();
  const versions = await page.locator('.history li').allInnerTexts();
  expect(versions.at(-1)).toMatch(/^1 · 2025-05-05 · main: /);
});

/** A page with ten agents, one of them with many items, and a team. */
async function busyPage(options?: Options): Promise<Page> {
  const state = temporaryDirectory();
  storeOf(state, 'main').update(plan(50, 16));
  for (let agent = 1; agent < 10; agent++)
    storeOf(state, `agent-${agent}`).update(plan(5, agent % 5));
  await startTeam(state);
  const page = await open((await serve(state)).url, options);
  await page.getByText('Doing step 17...').waitFor();
  return page;
}

describe.each(['light', 'dark'] as const)('in a %s page', (colorScheme) => {
  test.each([
    ['1280 pixels', { viewport: { width: 1280, height: 800 } }],
    ['375 pixels', { viewport: { width: 375, height: 800 } }],
    ['1280 pixels, zoomed', { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }],
  ])('of %s axe finds nothing, and nothing is too wide, or moves', async (name, size) => {
    const page = await busyPage({ colorScheme, ...size, reducedMotion: 'reduce' });
    expect(await page.getByRole('article', { name: /^List of/ }).count()).toBe(10);
    await page.getByText('· blocked by #1').waitFor();
    await picture(page, `busy-${colorScheme}-${name.replaceAll(/\W+/g, '-')}`);
    await page.evaluate(axe.source);
    const check = async () => {
      const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
      const isTooWide = 'document.documentElement.scrollWidth > innerWidth';
      expect(await page.evaluate(isTooWide)).toBe(false);
    };
    await check();
    const durations = await page
      .locator('*')
      .evaluateAll((all) => all.map((one) => getComputedStyle(one).transitionDuration));
    expect(new Set(durations)).toEqual(new Set(['0s']));
    const folded = page.locator('[aria-expanded=false]');
    while ((await folded.count()) > 0) await folded.first().click();
    await page.locator('dl.details').nth(1).waitFor();
    await page.locator('.history').nth(9).waitFor();
    await check();
  });
});

test('a card begins with what is done now; the completed items unfold, and the address remembers it', async () => {
  const page = await busyPage();
  const card = page.getByRole('article', { name: 'List of main' });
  const rows = card.locator('li .words');
  const first = async () => (await rows.first().textContent())?.split(': ')[1];
  expect(await first()).toBe('Doing step 17...');
  expect(await card.getByRole('button', { name: '21 more' }).count()).toBe(1);
  await card.getByRole('button', { name: '16 completed' }).click();
  expect(await first()).toBe('step 1');
  await page.reload();
  await card.waitFor();
  expect(await first()).toBe('step 1');
  await card.getByRole('button', { name: '21 more' }).click();
  expect(await rows.count()).toBe(50);
  await card.getByRole('button', { name: '16 completed' }).click();
  expect(await first()).toBe('Doing step 17...');
});

test.each([
  [1280, 3],
  [2560, 6],
  [375, 1],
])('a page of %d pixels begins at its top, with %d columns of lists', async (width, columns) => {
  const page = await busyPage({ viewport: { width, height: 800 } });
  expect(await page.evaluate('scrollY')).toBe(0);
  expect(await page.locator('h2').allTextContents()).toEqual(['Team tasks', 'Agents']);
  const lists = page.getByRole('article', { name: /^List of/ });
  const lefts = await lists.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().x));
  expect(new Set(lefts).size).toBe(columns);
  const rights = await lists.evaluateAll((all) =>
    all.map((one) => one.getBoundingClientRect().right),
  );
  expect(Math.max(...rights)).toBeGreaterThan(width - 30);
});

test('/ filters rows as one types, and Escape shows all again', async () => {
  const page = await busyPage();
  // With a modifier it is the browser's.
  for (const keys of ['Alt+/', 'Control+/', 'Meta+/', 'S', '/']) await page.keyboard.press(keys);
  await page.keyboard.type('STEP 4');
  const shown = page.locator('#lists li .words');
  await page.getByText('step 49').waitFor();
  const texts = await shown.allInnerTexts();
  expect(texts.every((text) => /step 4/i.test(text))).toBe(true);
  // Items 4 and 40 to 49 of the long list, and the fourth of each short one, folded or not.
  expect(texts).toHaveLength(11 + 9);
  const none = page.getByText('No item contains this text.');
  expect(await none.count()).toBe(0);
  await page.keyboard.type('/');
  await none.waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('Doing step 17...').waitFor();
  expect(await none.count()).toBe(0);
});

test('the title and the icon of the tab tell how much is done', async () => {
  const { store, page } = await pageOf('x Analyze', '> Build', '- Ship');
  expect(await page.title()).toBe('1/3 · s');
  const icon = () => page.locator('#icon').getAttribute('href');
  const before = await icon();
  store.update(todos('x Analyze', 'x Build', 'x Ship'));
  // The page forbids the eval by which a browser would wait for an expression.
  await eventually('a title that says so', async () => (await page.title()).startsWith('✓'));
  expect(await page.title()).toBe('✓ 3/3 · s');
  expect(await icon()).not.toBe(before);
  const isLoaded =
    'new Promise((resolve) => { const icon = new Image(); icon.onload = () => resolve(true); icon.onerror = () => resolve(false); icon.src = document.getElementById("icon").href; })';
  expect(await page.evaluate(isLoaded)).toBe(true);
});

/** A team with a held task and a waiting one, and the lists of two agents. */
async function teamPage(width: number, colorScheme: 'dark' | 'light'): Promise<Page> {
  const state = temporaryDirectory();
  const team = openTaskStore({ folder: taskListFolder(state, 's') });
  const tasks = [
    { subject: 'Parse', description: 'Two\nlines', priority: 'high' as const },
    { subject: 'Print', blockedBy: [{ place: 0 }] },
  ];
  await team.change((graph, at) => createTasks(graph, tasks, at), undefined, 'lea');
  const claim = { agent: 'ann', checkBusy: false, leaseMs: 1000, clock: team.clock };
  await team.change((graph, at) => claimTask(graph, 1, claim, at), undefined, 'ann');
  storeOf(state, 'agent-29').update(todos('- b'));
  storeOf(state, 'agent-3').update(todos('- \u05d0\u05d1 (1)'));
  storeOf(state, 'main@11111111-aaaa-4bbb-8ccc-123456789abc').update(todos('x a', '> c'));
  storeOf(state, 'empty').update([]);
  const page = await open((await serve(state)).url, {
    viewport: { width, height: 900 },
    colorScheme,
  });
  await page.getByText('agent-29').waitFor();
  return page;
}

test.each([
  [375, 'light'],
  [1280, 'dark'],
] as const)(
  'at %d pixels a task opens its details by Enter, an expired lease shows, and those at work come first',
  async (width, scheme) => {
    const page = await teamPage(width, scheme);
    await page.getByText(/expired \d+ ?s ago, free to claim/).waitFor();
    // The header counts the team's tasks and the items of all lists.
    expect(await page.locator('#total').innerText()).toBe('1/6');
    const columns = page.locator('#board h3');
    const first = width < 600 ? 'In progress' : 'Pending';
    expect(await columns.first().innerText()).toBe(first);
    const heads = await page.locator('#lists h3').allInnerTexts();
    if (width < 600) expect(heads).toEqual(['Claude 1111', 'agent-3', 'agent-29', 'empty']);
    else expect(heads.toSorted()).toEqual(['Claude 1111', 'agent-29', 'agent-3', 'empty']);
    expect(await page.getByText('The list is empty.').count()).toBe(1);
    expect(await page.locator('bdi', { hasText: '(1)' }).count()).toBe(1);
    const task = page.getByRole('button', { name: '#1 Parse' });
    await task.focus();
    await page.keyboard.press('Enter');
    await page.locator('dl.details').waitFor();
    const told = await page.locator('dl.details').innerText();
    expect(told).toMatch(/Lease until\s+\S+/);
    expect(told).toMatch(/Description\s+Two\nlines/);
    expect(told).toMatch(/History\s+.*ann: claimed #1 Parse \(ann\)/);
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
    expect(await page.evaluate('document.activeElement.dataset.fold')).toBe('task:1');
    await picture(page, `details-${width}-${scheme}`);
    await page.keyboard.press('Enter');
    await page.locator('dl.details').waitFor({ state: 'detached' });
  },
);

test('the number of a task stands left of its subject, whichever way that is read', async () => {
  const state = temporaryDirectory();
  const team = openTaskStore({ folder: taskListFolder(state, 's') });
  const tasks = [
    { subject: 'Parse' },
    { subject: '\u0625\u0635\u0644\u0627\u062d \u0627\u0644\u062f\u062e\u0648\u0644' },
  ];
  await team.change((graph, at) => createTasks(graph, tasks, at), undefined, 'lea');
  const page = await open((await serve(state)).url);
  await page.getByText('#2').waitFor();
  await picture(page, 'right-to-left');
  const places =
    await page.evaluate(`[...document.querySelectorAll('#board .words')].map((words) => {
    const texts = document.createTreeWalker(words, NodeFilter.SHOW_TEXT);
    while (!texts.nextNode().data.startsWith('#'));
    const number = document.createRange();
    number.setStart(texts.currentNode, 0);
    number.setEnd(texts.currentNode, 2);
    return number.getBoundingClientRect().x - words.getBoundingClientRect().x;
  })`);
  expect(places).toEqual([expect.any(Number), expect.any(Number)]);
  expect(Math.max(...(places as number[]))).toBeLessThan(2);
});

test('a single list is no wider than 80 characters; its clocks stop while there is no connection', async () => {
  const { child, page } = await pageOf('> Build');
  await page.setViewportSize({ width: 1920, height: 900 });
  const wide = await page.evaluate(
    'document.querySelector("#lists").clientWidth / parseFloat(getComputedStyle(document.body).fontSize)',
  );
  expect(wide).toBeLessThan(60);
  child.kill();
  await page.locator('#connection.lost').waitFor();
  const clock = page.locator('.time');
  const before = await clock.innerText();
  const then = Date.now() + 2100;
  await eventually('two seconds more', () => Date.now() > then);
  expect(await clock.innerText()).toBe(before);
});
