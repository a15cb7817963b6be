import { readSettings } from '../settings.ts';
import { FilePlace } from '../state/file-place.ts';
import { taskListFolder } from '../state/lists.ts';
import { ENTRIES_KEPT, type LogEntry, LogPlace } from '../state/log-place.ts';
import { FileLists } from '../todo/file-lists.ts';
import { storedEntryProblem } from './stored-tasks.ts';
import { TASK_STEPS, type TaskStep } from './task-steps.ts';
import { TaskStore } from './task-store.ts';

/** Which list of tasks in files it is: by its own folder, or by its name, as the task commands on PATH find it. */
export type TaskListLocation =
  | {
      /** Absolute. It is made when the first task is. */
      readonly folder: string;
      /** The agent that signs changes; `main` unless given. */
      readonly author?: string | undefined;
    }
  | {
      /** Where TODO_STATE_DIR, TODO_TASK_LIST, TODO_TEAM, TODO_SESSION and TODO_AGENT are looked up. */
      readonly environment: Readonly<Record<string, string | undefined>>;
      /** The current directory, absolute. */
      readonly directory: string;
      /** As `--list NAME`; without it, the list that the environment names, else that of the work tree. */
      readonly list?: string;
      readonly author?: string | undefined;
    };

/** Opens a list of tasks in files, which other processes may share. It need not be there yet. */
export function openTaskStore(location: TaskListLocation): TaskStore {
  const { folder, author } = 'folder' in location ? location : located(location);
  const entries = new FilePlace<LogEntry<TaskStep>>({
    folder,
    history: ENTRIES_KEPT,
    check: storedEntryProblem,
    ...(author !== undefined && { author }),
  });
  return new TaskStore(new LogPlace(entries, TASK_STEPS));
}

function located({
  environment,
  directory,
  list,
  author,
}: Exclude<TaskListLocation, { folder: string }>) {
  const { settings } = readSettings(environment, undefined);
  const lists = new FileLists(environment, directory, settings);
  const name = list ?? settings.taskList ?? lists.name({}).session;
  return { folder: taskListFolder(lists.folder, name), author: author ?? settings.agent };
}
