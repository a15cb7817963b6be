import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type CommandResult, done, EXIT_CODES } from '../base/command/agent-command.ts';
import { HELP_OPTIONS, wrongUsage } from '../base/command/options.ts';
import { perform } from '../base/command/perform.ts';
import { storageTrouble } from '../base/command/replies.ts';
import { StateError, UnnamedList } from '../base/command/state-error.ts';
import type { Environment } from '../base/environment.ts';
import { counted, inQuotes, safeText } from '../base/safe-text.ts';
import type { Settings } from '../base/settings/settings.ts';
import { type ListName, listKey } from '../lists/list-paths.ts';
import type { AnyPlace, Version } from '../lists/place.ts';
import { connectServer, FolderStorage, type ListStorage } from '../lists/storage.ts';
import { TASK_STEPS } from '../tasks/stored-tasks.ts';
import { NO_TASKS, type TaskGraph } from '../tasks/task.ts';
import { openTaskList, taskPlace } from '../tasks/task-store.ts';
import { TodoHome } from '../todo/todo-home.ts';
import { todoPlace } from '../todo/todo-store.ts';
import helpPage from './state-command.md';

const STATE_FORM = {
  options: HELP_OPTIONS,
  usage: 'agent-shell state [init | copy FROM TO]',
  purpose: 'use the lists',
  helpPage,
};

export interface StateWorld {
  readonly environment: Environment;
  readonly directory: string;
}

export function stateCommand(argv: readonly string[], world: StateWorld): Promise<CommandResult> {
  const home = new TodoHome(world.environment, world.directory);
  const { settings } = home;
  // A copy may take longer than one command.
  const limits = argv[0] === 'copy' ? { ...settings, stateUrl: undefined } : settings;
  const read = () => ({ ...home.reading, settings: limits });
  const wrong = (problem: string) => wrongUsage(problem, `Usage: ${STATE_FORM.usage}\n`);
  return perform(STATE_FORM, { argv }, read, async (parsed) => {
    if ('problem' in parsed) return wrong(parsed.problem);
    const [word, from, to, ...more] = parsed.rest;
    if (word === undefined) return showState(home);
    if (word === 'init' && from === undefined) return init(home);
    if (word === 'copy' && from && to && more.length === 0) return copy(from, to, settings, world);
    return wrong(
      word === 'copy'
        ? 'copy takes two places, each a folder or a URL'
        : `state takes init or copy, received ${inQuotes(parsed.rest.join(' '))}`,
    );
  });
}

/** Prints what it can say before an error, too. */
async function showState(home: TodoHome): Promise<CommandResult> {
  let stdout = '';
  try {
    for await (const line of stateLines(home)) stdout += `${safeText(line, 400)}\n`;
    return done(stdout);
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    return { ...storageTrouble(`Cannot ${STATE_FORM.purpose}`, error), stdout };
  } finally {
    await home.close();
  }
}

/** Says where lists are stored, then how the caller's list and its team's are. */
async function* stateLines(home: TodoHome): AsyncGenerator<string> {
  const { taskList, agent } = home.settings;
  yield* await home.storage.status();
  const own = nameOfOwn(home, taskList !== undefined);
  if (own) {
    yield `Your list: session ${own.session}, agent ${own.agent}.`;
    yield* listLines(home, listKey(own), async () => {
      const { version, items } = await home.open({}).read();
      return [version, counted(items.length, 'item')];
    });
  }
  if (taskList !== undefined) {
    yield `Your team's tasks are in list ${taskList}.`;
    const key = home.teamKey();
    yield* listLines(home, key, async () => {
      const { version, graph } = await openTaskList(home, key, agent).read();
      return [version, counted(graph.tasks.size, 'task')];
    });
  }
}

async function* listLines(
  { storage }: TodoHome,
  key: string,
  read: () => Promise<[version: number, size: string]>,
): AsyncGenerator<string> {
  const start = performance.now();
  const [version, size] = await read();
  const ms = (performance.now() - start).toFixed(1);
  yield version === 0
    ? `It does not exist yet; looking for it took ${ms} ms.`
    : `It is at version ${version}, with ${size}; reading it took ${ms} ms.`;
  await storage.probeWriting(key);
  yield 'You may write it.';
}

/** Undefined if no list is named, as with a team on a server. */
function nameOfOwn(home: TodoHome, isInTeam: boolean): ListName | undefined {
  try {
    return home.name({});
  } catch (error) {
    if (isInTeam && error instanceof UnnamedList) return undefined;
    throw error;
  }
}

async function init(home: TodoHome): Promise<CommandResult> {
  try {
    await home.storage.init();
    return done(`Ready for lists: ${await home.storage.name()}\n`);
  } finally {
    await home.close();
  }
}

async function copy(
  from: string,
  to: string,
  { stateTimeout }: Settings,
  { environment, directory }: StateWorld,
): Promise<CommandResult> {
  const options = { environment, directory, timeoutMs: stateTimeout * 1000 };
  const [source, target] = [openLists(from, options, true), openLists(to, options, false)];
  try {
    let stdout = '';
    let stderr = '';
    for await (const { list, versions, problem } of copyLists(source, target)) {
      if (versions > 0) stdout += `${list}: ${counted(versions, 'version')}, verified\n`;
      if (problem !== undefined) stderr += `Error: ${list}: ${safeText(problem, 400)}\n`;
    }
    const name = safeText(await source.name(), 400);
    if (stdout + stderr === '') stdout = `There are no lists in ${name}.\n`;
    return { stdout, stderr, exitCode: stderr === '' ? 0 : EXIT_CODES.storageTrouble };
  } finally {
    await Promise.all([source.close(), target.close()]);
  }
}

interface Copied {
  readonly list: string;
  readonly versions: number;
  /** Why the copy is missing or incomplete. */
  readonly problem?: string | undefined;
}

const EVERYTHING = 1_000_000;

/** @param mustExist whether the folder must exist. */
function openLists(
  where: string,
  world: { environment: Environment; directory: string; timeoutMs: number },
  mustExist: boolean,
): ListStorage {
  if (/^[a-z]+:\/\//.test(where)) return connectServer({ url: where, ...world });
  const folder = resolve(world.directory, where);
  if (mustExist && !existsSync(folder)) throw new StateError(`there is no folder ${folder}`);
  return new FolderStorage({ folder });
}

/**
 * Copies all lists with their history, times and authors, and reads each copy back to compare.
 *
 * Versions are renumbered from 1. A list that already exists is left alone.
 */
async function* copyLists(from: ListStorage, to: ListStorage): AsyncGenerator<Copied> {
  const todos = (storage: ListStorage, key: string) => (author: string) =>
    todoPlace(storage, key, { author, history: EVERYTHING });
  const tasks = (storage: ListStorage, key: string) => (author: string) =>
    taskPlace(storage, key, author);
  const taskText = (graph: TaskGraph) => JSON.stringify(TASK_STEPS.between(NO_TASKS, graph));
  const found = [...(await from.find('todos')), ...(await from.find('tasks'))];
  let copied = 0;
  for (const { key, path } of found) {
    const list = path.map((name) => safeText(name, 80)).join(' ');
    try {
      const { versions, problem } =
        path[0] === 'todos'
          ? await copyList(todos(from, key), todos(to, key), JSON.stringify)
          : await copyList(tasks(from, key), tasks(to, key), taskText);
      copied++;
      yield { list, versions, problem };
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      // A server that is away: the next list would wait for it as long.
      const isAway = error.isOfReading && error.cause === undefined;
      const count = isAway ? `${copied} of ${found.length} lists are copied; ` : '';
      yield { list, versions: 0, problem: count + error.message };
      if (isAway) return;
    }
  }
}

async function copyList<T>(
  open: (author: string) => AnyPlace<T>,
  openCopy: (author: string) => AnyPlace<T>,
  textOf: (content: T) => string,
): Promise<Omit<Copied, 'list'>> {
  const oldestFirst = async (place: AnyPlace<T>) => [...(await place.history())].reverse();
  const versions = await oldestFirst(open(''));
  const lost = versions.findLast(({ damage }) => damage)?.damage;
  const problem = lost && `${lost} in the copy`;
  const copied = openCopy('');
  if ((await copied.load()) !== undefined) {
    throw new StateError('this list already exists; it was left alone');
  }
  const places = new Map<string, AnyPlace<T>>();
  for (const [index, { content, at, by }] of versions.entries()) {
    const place = places.get(by) ?? openCopy(by);
    places.set(by, place);
    if (!(await place.commit(index, content, at))) {
      throw new StateError('something else is writing to the copy; it is incomplete');
    }
  }
  const written = await oldestFirst(copied);
  const say = ({ content, at, by }: Version<T>) => `${+at} ${by} ${textOf(content)}`;
  const isSame =
    written.length === versions.length &&
    written.every((version, index) => say(version) === say(versions[index] as Version<T>));
  if (!isSame) throw new StateError('the copy differs from the list; it is incomplete');
  return { versions: versions.length, problem };
}
