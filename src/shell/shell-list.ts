import type { ListName } from '../state/lists.ts';
import type { TaskContext } from '../tasks/task-command.ts';
import { taskContext } from '../tasks/task-context.ts';
import { TaskStore } from '../tasks/task-store.ts';
import { FileLists } from '../todo/file-lists.ts';
import type { TodoSource } from '../todo/todo-source.ts';
import { TodoStore, todoStore } from '../todo/todo-store.ts';

/** The list of an agent shell. */
export interface ShellList {
  /** For the commands. */
  readonly source: TodoSource;
  /** For who looks on. Reading it never fails. */
  readonly shown: TodoStore;
  /** For the commands on a team's tasks, which are in memory too unless a list in files is named. */
  readonly tasks: TaskContext;
  /** A line for each setting that could not be used. */
  readonly warnings: readonly string[];
}

/** The list in memory or, where a session is named, that in the files of the session. */
export function shellList(name: Partial<ListName>): ShellList {
  let opened: FileLists | undefined;
  const files = () => {
    opened ??= new FileLists(process.env, process.cwd());
    return opened;
  };
  const tasks = taskContext({
    environment: process.env,
    directory: () => process.cwd(),
    lists: files,
    unnamed: name.session === undefined ? new TaskStore() : undefined,
    ...name,
  });
  if (name.session === undefined) {
    return { source: todoStore, shown: todoStore, tasks, warnings: [] };
  }
  const lists = files();
  return {
    source: (other) => lists.open({ ...name, ...other }),
    shown: copyOf(lists.open(name)),
    tasks,
    warnings: lists.warnings,
  };
}

function copyOf(source: TodoStore): TodoStore {
  const copy = new TodoStore();
  try {
    copy.update(source.get().items);
  } catch {
    // The first command that needs the list will say what is wrong with it.
  }
  source.onChange(({ items }) => copy.update(items));
  return copy;
}
