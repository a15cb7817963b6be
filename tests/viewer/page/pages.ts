import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { createTasks } from '../../../src/tasks/task-create.ts';
import { openTaskStore } from '../../../src/tasks/task-store.ts';
import { openTodoStore } from '../../../src/todo/todo-store.ts';
import { eventually } from '../../helpers/eventually.ts';
import { cleanEnvironment, executable, startProgram } from '../../helpers/executables.ts';
import { temporaryDirectory } from '../../helpers/files.ts';
import { forAllTests } from '../../helpers/for-all-tests.ts';
import { listFolder, taskListFolder } from '../../helpers/list-folders.ts';
import { plan, todos } from '../../screen/panel/todos.ts';

// `npm run test:web`: what people see in a browser. SCREENSHOTS=FOLDER keeps pictures of it, to be looked at.

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);
const PICTURES = process.env.SCREENSHOTS;

const browser = forAllTests(async (finished) => {
  const browser = await chromium.launch({
    executablePath: CHROMIUM ?? '',
    args: ['--no-sandbox'],
  });
  finished(() => browser.close());
  return browser;
});

interface Served {
  state: string;
  url: string;
  child: ChildProcess;
}

export async function serve(state: string, ...argv: string[]): Promise<Served> {
  const env = cleanEnvironment({ TODO_STATE_DIR: state, HOME: state, XDG_STATE_HOME: '' });
  const watch = ['watch', '--web', '--session', 's', ...argv];
  const { child, lines } = startProgram(executable('agent-shell'), watch, { cwd: state, env });
  const url = await eventually('the URL', () => lines()[0]);
  return { state, url, child };
}

export const storeOf = (state: string, agent: string) =>
  openTodoStore({ folder: listFolder(state, { session: 's', agent }), author: agent });

/** Two tasks of a team, one blocked by the other. */
async function startTeam(state: string): Promise<void> {
  const tasks = [
    { subject: 'Task 1', owner: 'ann' },
    { subject: 'Task 2', owner: 'ann', blockedBy: [{ index: 0 }] },
  ];
  const store = openTaskStore({ folder: taskListFolder(state, 's') });
  await store.change((graph, at) => createTasks(graph, tasks, at), undefined, 'ann');
}

export type Options = Parameters<Browser['newContext']>[0];

/** In a context that ends with the test. */
export async function newPage(options: Options = {}): Promise<Page> {
  const context = await (await browser()).newContext(options);
  onTestFinished(() => context.close());
  // As in vitest.config.ts: a busy machine is no failure.
  context.setDefaultTimeout(300_000);
  return context.newPage();
}

export async function open(url: string, options?: Options): Promise<Page> {
  const page = await newPage(options);
  page.on('pageerror', (error) => {
    throw error;
  });
  await page.goto(url);
  await page.getByText('live', { exact: true }).waitFor();
  return page;
}

export async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
}

/** A page that shows this list of an agent. */
export async function pageOf(...items: string[]) {
  const state = temporaryDirectory();
  const store = storeOf(state, 'main');
  store.update(todos(...items));
  const { url, child } = await serve(state);
  const page = await open(url);
  await page.locator('#lists li').first().waitFor();
  return { state, store, url, child, page };
}

/** A page with ten agents, one of them with many items, and a team. */
export async function busyPage(options?: Options): Promise<Page> {
  const state = temporaryDirectory();
  storeOf(state, 'main').update(plan(50, 16));
  for (let agent = 1; agent < 10; agent++)
    storeOf(state, `agent-${agent}`).update(plan(5, agent % 5));
  await startTeam(state);
  const page = await open((await serve(state)).url, options);
  await page.getByText('Doing step 17...').waitFor();
  return page;
}
