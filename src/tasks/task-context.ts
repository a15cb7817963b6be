import { type Settings, type SettingsSource, settingsOfCalls } from '../settings.ts';
import type { FileLists } from '../todo/file-lists.ts';
import { openTaskStore, taskListLocation } from './open-task-store.ts';
import type { TaskContext } from './task-command.ts';
import type { TaskStore } from './task-store.ts';

export interface TaskContextOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Gives the current directory, or throws where it has been deleted. */
  readonly directory: () => string;
  /** Those of the environment, for each call with its caller's names, unless given. */
  readonly settings?: SettingsSource;
  /** The lists in files; made when first needed. */
  readonly lists: () => FileLists;
  /** Where neither a list nor a session is named; that of the work tree, in files, unless given. */
  readonly unnamed?: TaskStore | undefined;
}

/** What the task commands of a process work with. */
export function taskContext(options: TaskContextOptions): TaskContext {
  const { environment, directory, lists, unnamed } = options;
  const { settings = settingsOfCalls(environment, directory) } = options;
  const stores = new Map<string, TaskStore>();
  const open = (named: string | undefined, of: Settings): TaskStore => {
    const list = named ?? of.taskList;
    if (list === undefined && of.session === undefined && unnamed) return unnamed;
    const name = list ?? lists().name({}, of).session;
    const key = JSON.stringify([name, of.agent]);
    const store = stores.get(key) ?? openTaskStore(taskListLocation(lists(), name, of.agent));
    stores.set(key, store);
    return store;
  };
  return { open, settings, hooks: () => ({ environment, cwd: directory() }) };
}
