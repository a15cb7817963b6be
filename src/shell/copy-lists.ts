import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Environment } from '../environment.ts';
import { safeText } from '../safe-text.ts';
import { FolderLists } from '../state/folder-lists.ts';
import type { Lists } from '../state/lists.ts';
import type { SharedPlace, Version } from '../state/place.ts';
import { ServerLists } from '../state/server-lists.ts';
import { StateError } from '../state/state-error.ts';
import { taskPlace } from '../tasks/open-task-store.ts';
import { TASK_STEPS } from '../tasks/stored-tasks.ts';
import { NO_TASKS, type TaskGraph } from '../tasks/task.ts';
import { todoPlace } from '../todo/open-todo-store.ts';

/** The result for one list. */
export interface Copied {
  readonly list: string;
  /** The number of versions copied. */
  readonly versions: number;
  /** Why it was not copied; undefined if it was. */
  readonly problem?: string;
}

/** A copy keeps the whole history. */
const EVERYTHING = 1_000_000;

/** Opens the lists at a URL or in a folder. @param isThere whether the folder must be there. */
export function openLists(
  where: string,
  world: { environment: Environment; directory: string; timeoutMs: number },
  isThere: boolean,
): Lists {
  if (/^[a-z]+:\/\//.test(where)) return new ServerLists({ url: where, ...world });
  const folder = resolve(world.directory, where);
  if (isThere && !existsSync(folder)) throw new StateError(`there is no folder ${folder}`);
  return new FolderLists(() => folder);
}

/**
 * Copies all lists with their history, times and authors, and reads each copy back to compare.
 *
 * Versions are renumbered from 1. A list that already exists is left alone.
 */
export async function* copyLists(from: Lists, to: Lists): AsyncGenerator<Copied> {
  const todos = (lists: Lists, key: string) => (author: string) =>
    todoPlace(lists, key, { author, history: EVERYTHING });
  const tasks = (lists: Lists, key: string) => (author: string) => taskPlace(lists, key, author);
  const taskText = (graph: TaskGraph) => JSON.stringify(TASK_STEPS.between(NO_TASKS, graph));
  for (const { key, path } of [...(await from.find('todos')), ...(await from.find('tasks'))]) {
    const list = path.map((name) => safeText(name, 80)).join(' ');
    try {
      const versions =
        path[0] === 'todos'
          ? await copy(todos(from, key), todos(to, key), JSON.stringify)
          : await copy(tasks(from, key), tasks(to, key), taskText);
      // A folder of something else.
      if (versions > 0) yield { list, versions };
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      yield { list, versions: 0, problem: error.message };
    }
  }
}

async function copy<T>(
  open: (author: string) => SharedPlace<T>,
  openCopy: (author: string) => SharedPlace<T>,
  textOf: (content: T) => string,
): Promise<number> {
  const oldestFirst = async (place: SharedPlace<T>) => [...(await place.history())].reverse();
  const versions = await oldestFirst(open(''));
  const damage = versions.find((version) => version.damage)?.damage;
  if (damage) throw new StateError(damage.message);
  const copied = openCopy('');
  if ((await copied.load()) !== undefined) {
    throw new StateError('this list already exists; it was left alone');
  }
  const places = new Map<string, SharedPlace<T>>();
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
  return versions.length;
}
