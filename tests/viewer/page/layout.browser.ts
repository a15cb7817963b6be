import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { claimTask } from '../../../src/tasks/claims.ts';
import { createTasks } from '../../../src/tasks/task-create.ts';
import { openTaskStore } from '../../../src/tasks/task-store.ts';
import { updateTask } from '../../../src/tasks/update-task.ts';
import { eventually } from '../../helpers/eventually.ts';
import { temporaryDirectory } from '../../helpers/files.ts';
import { taskListFolder } from '../../helpers/list-folders.ts';
import { plan, todos } from '../../screen/panel/todos.ts';
import { LEADER } from '../../tasks/tasks.ts';
import { busyPage, open, pageOf, picture, serve, storeOf } from './pages.ts';

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
    // Rows that were completed fold two seconds later, and what was looked at with them.
    await page.clock.setFixedTime(Date.now());
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

test('rows that fold at the top of the window move no other row', async () => {
  const state = temporaryDirectory();
  const store = storeOf(state, 'main');
  store.update(plan(60, 0));
  const page = await open((await serve(state)).url, { viewport: { width: 375, height: 600 } });
  await page.getByRole('button', { name: '47 more' }).click();
  const rows = page.locator('article li');
  await rows.nth(59).waitFor();
  const first = "document.querySelector('article li')";
  await page.evaluate(`scrollBy(0, ${first}.getBoundingClientRect().top - 1)`);
  const looked = await rows.nth(10).elementHandle();
  const before = (await looked?.boundingBox())?.y ?? -1;
  store.update(plan(60, 2));
  await eventually('they fold', async () => (await rows.count()) === 58);
  expect(((await looked?.boundingBox())?.y ?? 999) - before).toBeCloseTo(0, -0.5);
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

/** A team with a held task and a waiting one, and the lists of two agents. */
async function teamPage(width: number, colorScheme: 'dark' | 'light'): Promise<Page> {
  const state = temporaryDirectory();
  const team = openTaskStore({ folder: taskListFolder(state, 's') });
  const tasks = [
    { subject: 'Parse', description: 'Two\nlines', priority: 'high' as const },
    { subject: 'Print', blockedBy: [{ index: 0 }] },
  ];
  await team.change((graph, at) => createTasks(graph, tasks, at), undefined, 'lea');
  const claim = { agent: 'ann', checkBusy: false, leaseMs: 1000, clock: team.clock };
  await team.change((graph, at) => claimTask(graph, 1, claim, at), undefined, 'ann');
  const comment = { taskId: 1, comment: 'First\nsecond' };
  await team.change((graph, at) => updateTask(graph, comment, LEADER, at), undefined, 'lea');
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
    expect(told).toMatch(/Comment by leader\s+.* · First\nsecond/);
    expect(told).toMatch(/History\s[\s\S]*ann: claimed #1 Parse/);
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
