import { existsSync } from 'node:fs';
import { basename, isAbsolute, resolve } from 'node:path';
import type { Environment } from '../environment.ts';
import { FilePlace } from '../state/file-place.ts';
import { folderOfKey, listsIn, sessionsOf, taskListsOf } from '../state/list-paths.ts';
import { ENTRIES_KEPT, type LogEntry, LogPlace } from '../state/log-place.ts';
import type { SharedPlace } from '../state/place.ts';
import { ServerLists } from '../state/server-lists.ts';
import { StateError } from '../state/state-error.ts';
import { storedEntryProblem } from '../tasks/stored-tasks.ts';
import type { TaskGraph } from '../tasks/task.ts';
import { TASK_STEPS, type TaskStep } from '../tasks/task-steps.ts';
import { storedItemsProblem } from '../todo/open-todo-store.ts';
import type { Items } from '../todo/todo-item.ts';

/** A list, wherever it lives. */
export interface StoredList {
  /** `todos/SESSION/AGENT` or `tasks/LIST`, with names as in folders. */
  readonly key: string;
  readonly path: readonly string[];
}

/** A folder or a server with lists. */
export interface Storage {
  /** Its name as given, without any secret. */
  readonly name: string;
  lists(): Promise<readonly StoredList[]>;
  todos(list: StoredList, author: string): SharedPlace<Items>;
  tasks(list: StoredList, author: string): SharedPlace<TaskGraph>;
  close(): Promise<void>;
}

export interface StorageOptions {
  readonly environment: Environment;
  /** What a relative folder is relative to. */
  readonly directory: string;
  readonly timeoutMs: number;
}

/** A copy keeps the whole history. */
const EVERYTHING = 1_000_000;

/** Opens the storage at a URL or the path of a folder. @throws StateError if the URL is invalid. */
export async function openStorage(where: string, options: StorageOptions): Promise<Storage> {
  return /^[a-z]+:\/\//.test(where)
    ? serverStorage(new ServerLists({ url: where, ...options }))
    : folderStorage(isAbsolute(where) ? where : resolve(options.directory, where));
}

function folderStorage(folder: string): Storage {
  return {
    name: folder,
    lists: async () => [
      ...sessionsOf(existing(folder)).flatMap(({ session, folder: own }) =>
        listsIn(own).map(({ agent, folder: list }) => ({
          key: ['todos', basename(own), basename(list)].join('/'),
          path: ['todos', session, agent],
        })),
      ),
      ...taskListsOf(folder).map(({ list, folder: own }) => ({
        key: `tasks/${basename(own)}`,
        path: ['tasks', list],
      })),
    ],
    todos: ({ key }, author) =>
      new FilePlace({
        folder: folderOfKey(folder, key),
        author,
        history: EVERYTHING,
        check: storedItemsProblem,
      }),
    tasks: ({ key }, author) =>
      new LogPlace(
        new FilePlace<LogEntry<TaskStep>>({
          folder: folderOfKey(folder, key),
          author,
          history: ENTRIES_KEPT,
          check: storedEntryProblem,
        }),
        TASK_STEPS,
      ),
    close: async () => {},
  };
}

function existing(folder: string): string {
  if (!existsSync(folder)) throw new StateError(`there is no folder ${folder}`);
  return folder;
}

async function serverStorage(server: ServerLists): Promise<Storage> {
  const { name } = await server.engine();
  return {
    name,
    lists: async () => [...(await server.find(['todos'])), ...(await server.find(['tasks']))],
    todos: (list, author) =>
      server.place(list, { author, history: EVERYTHING, check: storedItemsProblem }),
    tasks: (list, author) =>
      new LogPlace(
        server.place<LogEntry<TaskStep>>(list, {
          author,
          history: ENTRIES_KEPT,
          check: storedEntryProblem,
        }),
        TASK_STEPS,
      ),
    close: () => server.close(),
  };
}
