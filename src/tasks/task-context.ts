import { readSettings, readTaskSettings } from '../settings.ts';
import { FilePlace } from '../state/file-place.ts';
import { taskListFolder } from '../state/lists.ts';
import { ENTRIES_KEPT, type LogEntry, LogPlace } from '../state/log-place.ts';
import type { FileLists } from '../todo/file-lists.ts';
import type { TaskContext } from './task-command.ts';
import { TASK_STEPS, type TaskStep } from './task-steps.ts';
import { TaskStore } from './task-store.ts';

export interface TaskContextOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The current directory; undefined where it has been deleted. */
  readonly directory: () => string | undefined;
  /** The lists in files; made when first needed. */
  readonly lists: () => FileLists;
  /** What the caller itself was told: its session and its agent go before the settings. */
  readonly session?: string | undefined;
  readonly agent?: string | undefined;
  /** The list where none is named; that of the session, in files, unless given. */
  readonly unnamed?: TaskStore | undefined;
}

/** What the task commands of a process work with. */
export function taskContext(options: TaskContextOptions): TaskContext {
  const { environment, directory, lists, session, agent, unnamed } = options;
  const stores = new Map<string, TaskStore>();
  const settings: TaskContext['settings'] = () => {
    const here = directory() ?? '';
    const tasks = readTaskSettings(environment, here);
    const { maxContentLength } = readSettings(environment, here).settings;
    return {
      settings: { ...tasks.settings, agent: agent ?? tasks.settings.agent, maxContentLength },
      warnings: tasks.warnings,
    };
  };
  const open: TaskContext['open'] = (named) => {
    const { taskList, agent: author } = settings().settings;
    const list = named ?? taskList;
    if (list === undefined && unnamed) return unnamed;
    const name = list ?? lists().name(session === undefined ? {} : { session }).session;
    const folder = taskListFolder(lists().folder, name);
    const store = stores.get(folder) ?? storeIn(folder, author);
    stores.set(folder, store);
    return store;
  };
  const hooks = () => ({ environment, cwd: directory() ?? '/' });
  return { open, settings, hooks };
}

/** The list of tasks in a folder. */
export function storeIn(folder: string, author: string | undefined): TaskStore {
  const entries = new FilePlace<LogEntry<TaskStep>>({
    folder,
    history: ENTRIES_KEPT,
    ...(author !== undefined && { author }),
  });
  return new TaskStore(new LogPlace(entries, TASK_STEPS));
}
