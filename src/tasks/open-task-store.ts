import type { Environment } from '../environment.ts';
import { readSettings } from '../settings/settings.ts';
import { FilePlace } from '../state/file-place.ts';
import { certain, ListHome } from '../state/list-home.ts';
import { folderOfKey, taskListFolder } from '../state/list-paths.ts';
import { ENTRIES_KEPT, type LogEntry, LogPlace } from '../state/log-place.ts';
import { DEFAULT_AGENT, type SharedPlace } from '../state/place.ts';
import type { ServerLists } from '../state/server-lists.ts';
import { storedEntryProblem } from './stored-tasks.ts';
import { TASK_STEPS, type TaskStep } from './task-steps.ts';
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
      /** The server of a team on several machines. */
      readonly server: ServerLists;
      /** The list's name there, or its key. */
      readonly list: ListOrKey;
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
  if ('environment' in location) return located(location);
  const { author = DEFAULT_AGENT } = location;
  const options = { history: ENTRIES_KEPT, check: storedEntryProblem, author };
  const entries: SharedPlace<LogEntry<TaskStep>> =
    'folder' in location
      ? new FilePlace({ folder: location.folder, ...options })
      : location.server.place(pathOf(location.list), options);
  return new TaskStore(new LogPlace(entries, TASK_STEPS));
}

/** Where the list of this name or key is, beside the lists of todos. */
export function taskListLocation(lists: ListHome, list: ListOrKey, author: string | undefined) {
  const { server } = lists;
  if (server) return { server, list, author };
  const folder =
    typeof list === 'string'
      ? taskListFolder(lists.folder, certain(list))
      : folderOfKey(lists.folder, list.key);
  return { folder: lists.checked(folder), author };
}

function pathOf(list: ListOrKey) {
  return typeof list === 'string' ? ['tasks', list] : list;
}

function located(location: Extract<TaskListLocation, { environment: object }>): TaskStore {
  const { environment, directory, list, author } = location;
  const { settings } = readSettings(environment, undefined);
  const lists = new ListHome(environment, directory, settings);
  const name = list ?? settings.taskList ?? lists.teamSession();
  return openTaskStore(taskListLocation(lists, name, author ?? settings.agent));
}
