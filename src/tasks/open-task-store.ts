import { join } from 'node:path';
import type { Environment } from '../environment.ts';
import { readSettings } from '../settings/settings.ts';
import { FilePlace } from '../state/file-place.ts';
import { certain, ListHome } from '../state/list-home.ts';
import { pathName, taskListKey } from '../state/list-paths.ts';
import type { Lists } from '../state/lists.ts';
import { ENTRIES_KEPT, type LogEntry, LogPlace } from '../state/log-place.ts';
import { DEFAULT_AGENT, type SharedPlace } from '../state/place.ts';
import { type LeaseClock, machineClock } from './lease.ts';
import { storedEntryProblem, TASK_STEPS, type TaskStep } from './stored-tasks.ts';
import type { TaskGraph } from './task.ts';
import { TaskStore } from './task-store.ts';

/** The name of a list, or the key that it was found by. */
type ListOrKey = string | { readonly key: string };

/** Which list of tasks in files it is: by its own folder, or by its name, as the task commands on PATH find it. */
export type TaskListLocation =
  | {
      /** Absolute. Created with the first task. */
      readonly folder: string;
      /** The agent that signs changes; `main` unless given. */
      readonly author?: string | undefined;
    }
  | {
      /** Where TODO_STATE_URL, TODO_STATE_DIR, TODO_TASK_LIST, TODO_TEAM, TODO_SESSION and TODO_AGENT are looked up. */
      readonly environment: Environment;
      /** The current directory, absolute. */
      readonly directory: string;
      /** As `--list NAME`; without it, the list that the environment names, else that of the work tree. */
      readonly list?: string;
      readonly author?: string | undefined;
    };

/** Opens a list of tasks, which other processes may share. It need not be there yet. */
export function openTaskStore(location: TaskListLocation): TaskStore {
  if ('folder' in location) {
    return storeAt(new FilePlace({ folder: location.folder, ...entriesOf(location.author) }));
  }
  const { environment, directory, list, author } = location;
  const { settings } = readSettings(environment, undefined);
  const lists = new ListHome(environment, directory, settings);
  const name = list ?? settings.taskList ?? lists.teamSession();
  return openTaskList(lists, name, author ?? settings.agent);
}

/** Opens the list of this name or key, beside the lists of todos. */
export function openTaskList(
  home: ListHome,
  list: ListOrKey,
  author: string | undefined,
): TaskStore {
  const name = typeof list === 'string' ? certain(list) : list.key;
  const key = typeof list === 'string' ? taskListKey(name) : list.key;
  // Found out when it is needed: lists on a server need no folder here.
  const sightings = () => home.checked(join(home.folder, 'seen~', pathName(name)));
  return storeAt(home.lists.place(key, entriesOf(author)), machineClock(sightings));
}

/** The place of a list of this key, without what a store does. */
export function taskPlace(lists: Lists, key: string, author: string): SharedPlace<TaskGraph> {
  return new LogPlace(lists.place<LogEntry<TaskStep>>(key, entriesOf(author)), TASK_STEPS);
}

function entriesOf(author: string = DEFAULT_AGENT) {
  return { history: ENTRIES_KEPT, check: storedEntryProblem, author };
}

function storeAt(entries: SharedPlace<LogEntry<TaskStep>>, clock?: LeaseClock): TaskStore {
  return new TaskStore(new LogPlace(entries, TASK_STEPS), undefined, clock);
}
