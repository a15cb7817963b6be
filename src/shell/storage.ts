import { isAbsolute, resolve } from 'node:path';
import { FilePlace } from '../state/file-place.ts';
import { listFolder, listsIn, sessionsOf, taskListFolder, taskListsOf } from '../state/lists.ts';
import { ENTRIES_KEPT, type LogEntry, LogPlace } from '../state/log-place.ts';
import type { SharedPlace } from '../state/place.ts';
import { ServerLists } from '../state/server-lists.ts';
import { storedEntryProblem } from '../tasks/stored-tasks.ts';
import type { TaskGraph } from '../tasks/task.ts';
import { TASK_STEPS, type TaskStep } from '../tasks/task-steps.ts';
import { storedItemsProblem } from '../todo/open-todo-store.ts';
import type { TodoState } from '../todo/todo-store.ts';

/** Which list it is, wherever it lives: `['todos', SESSION, AGENT]` or `['tasks', LIST]`. */
export type ListPath = readonly [kind: 'todos' | 'tasks', ...names: string[]];

/** A folder or a server that lists live in. */
export interface Storage {
  /** As it was named, without any secret. */
  readonly name: string;
  lists(): Promise<ListPath[]>;
  todos(path: ListPath, author: string): SharedPlace<TodoState['items']>;
  tasks(path: ListPath, author: string): SharedPlace<TaskGraph>;
  close(): Promise<void>;
}

export interface StorageOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where a relative folder begins. */
  readonly directory: string;
  readonly timeoutMs: number;
}

/** How much of a history a copy keeps: all that there was. */
const EVERYTHING = 1_000_000;

/** Opens what a URL or the path of a folder names. @throws StateError for a URL that is none. */
export async function openStorage(where: string, options: StorageOptions): Promise<Storage> {
  return /^[a-z]+:\/\//.test(where)
    ? serverStorage(new ServerLists({ url: where, ...options }))
    : folderStorage(isAbsolute(where) ? where : resolve(options.directory, where));
}

function folderStorage(folder: string): Storage {
  const folderOf = ([kind, first = '', second = '']: ListPath) =>
    kind === 'todos'
      ? listFolder(folder, { session: first, agent: second })
      : taskListFolder(folder, first);
  return {
    name: folder,
    lists: async () => [
      ...sessionsOf(folder).flatMap(({ session, folder: own }) =>
        listsIn(own).map(({ agent }): ListPath => ['todos', session, agent]),
      ),
      ...taskListsOf(folder).map(({ list }): ListPath => ['tasks', list]),
    ],
    todos: (path, author) =>
      new FilePlace({
        folder: folderOf(path),
        author,
        history: EVERYTHING,
        check: storedItemsProblem,
      }),
    tasks: (path, author) =>
      new LogPlace(
        new FilePlace<LogEntry<TaskStep>>({
          folder: folderOf(path),
          author,
          history: ENTRIES_KEPT,
          check: storedEntryProblem,
        }),
        TASK_STEPS,
      ),
    close: async () => {},
  };
}

async function serverStorage(server: ServerLists): Promise<Storage> {
  const engine = await server.engine();
  return {
    name: engine.name,
    lists: async () => {
      const found = [];
      for (const kind of ['todos', 'tasks'] as const) {
        for (const path of await engine.paths([kind])) {
          found.push([kind, ...path.slice(1)] as ListPath);
        }
      }
      return found;
    },
    todos: (path, author) =>
      engine.place(path, { author, history: EVERYTHING, check: storedItemsProblem }),
    tasks: (path, author) =>
      new LogPlace(
        engine.place<LogEntry<TaskStep>>(path, {
          author,
          history: ENTRIES_KEPT,
          check: storedEntryProblem,
        }),
        TASK_STEPS,
      ),
    close: () => server.close(),
  };
}
