import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openTodoStore } from '../../../src/todo/todo-store.ts';
import { eventually } from '../../helpers/eventually.ts';
import { temporaryDirectory } from '../../helpers/files.ts';
import { listFolder } from '../../helpers/list-folders.ts';
import { todos } from '../../screen/panel/todos.ts';
import { busyPage, newPage, open, pageOf, picture, serve, storeOf } from './pages.ts';

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
  expect(await page.getByRole('progressbar').count()).toBe(0);
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
