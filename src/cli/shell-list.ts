import type { ListName } from '../state/lists.ts';
import type { TodoSource } from '../todo/todo-source.ts';
import { TodoStore, todoStore } from '../todo/todo-store.ts';

/** The list of an agent shell. */
export interface ShellList {
  /** For the commands. */
  readonly source: TodoSource;
  /** For who looks on. Reading it never fails. */
  readonly shown: TodoStore;
  /** A line for each setting that could not be used. */
  readonly warnings: readonly string[];
}

/** The list in memory or, where a session is named, that in the files of the session. */
export async function shellList(name: Partial<ListName>): Promise<ShellList> {
  if (name.session === undefined) return { source: todoStore, shown: todoStore, warnings: [] };
  const { FileLists } = await import('./file-lists.ts');
  const lists = new FileLists(process.env, process.cwd());
  return {
    source: (other) => lists.open({ ...name, ...other }),
    shown: copyOf(lists.open(name)),
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
