import { safeText } from '../safe-text.ts';
import type { SharedPlace, Version } from '../state/place.ts';
import { StateError } from '../state/state-error.ts';
import { NO_TASKS } from '../tasks/task.ts';
import { TASK_STEPS } from '../tasks/task-steps.ts';
import type { Storage, StoredList } from './storage.ts';

/** The result for one list. */
export interface Copied {
  readonly list: string;
  /** The number of versions copied. */
  readonly versions: number;
  /** Why it was not copied; undefined if it was. */
  readonly problem?: string;
}

/**
 * Copies all lists with their history, times and authors, and reads each copy back to compare.
 *
 * Versions are renumbered from 1. A list that already exists is left alone.
 */
export async function* copyLists(from: Storage, to: Storage): AsyncGenerator<Copied> {
  for (const found of await from.lists()) {
    const { path } = found;
    const list = path.map((name) => safeText(name, 80)).join(' ');
    try {
      const versions =
        path[0] === 'todos'
          ? await copy(found, from.todos, to.todos, JSON.stringify)
          : await copy(found, from.tasks, to.tasks, (graph) =>
              JSON.stringify(TASK_STEPS.between(NO_TASKS, graph)),
            );
      // A folder of something else.
      if (versions > 0) yield { list, versions };
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      yield { list, versions: 0, problem: error.message };
    }
  }
}

async function copy<T>(
  list: StoredList,
  open: (list: StoredList, author: string) => SharedPlace<T>,
  openCopy: (list: StoredList, author: string) => SharedPlace<T>,
  textOf: (content: T) => string,
): Promise<number> {
  const oldestFirst = async (place: SharedPlace<T>) => [...(await place.history())].reverse();
  const versions = await oldestFirst(open(list, ''));
  const damage = versions.find((version) => version.damage)?.damage;
  if (damage) throw new StateError(damage.message);
  const copied = openCopy(list, '');
  if ((await copied.load()) !== undefined) {
    throw new StateError('this list already exists; it was left alone');
  }
  const places = new Map<string, SharedPlace<T>>();
  for (const [index, { content, at, by }] of versions.entries()) {
    const place = places.get(by) ?? openCopy(list, by);
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
