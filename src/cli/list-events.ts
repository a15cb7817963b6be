import { orElse } from '../base/system/files.ts';
import { coalesced } from '../lists/coalesced.ts';
import { whenDone } from '../lists/maybe-async.ts';
import { type TaskStore, taskView } from '../tasks/task-store.ts';
import type { TodoList } from '../todo/todo-store.ts';

const SHOWN = ['id', 'subject', 'activeForm', 'status', 'owner', 'openBlockers'] as const;

/** These fields of an object, in this order. */
export function fieldsOf<T>(from: T, names: readonly (keyof T)[]) {
  return Object.fromEntries(names.map((name) => [name, from[name]]));
}

/** Sends lists to a client, now and after each change, whoever makes it. */
export class ListEvents {
  readonly #lists: { readonly todos: TodoList; readonly tasks: () => TaskStore };
  readonly #write: (event: Record<string, unknown>) => Promise<void>;
  readonly #followed = new Set<string>();

  /** @param write resolves when the client has room for more. */
  constructor(
    lists: { readonly todos: TodoList; readonly tasks: () => TaskStore },
    write: (event: Record<string, unknown>) => Promise<void>,
  ) {
    this.#lists = lists;
    this.#write = write;
  }

  /** A client that does not read gets only the latest state. */
  follow(kind: 'todos' | 'tasks'): void {
    if (this.#followed.has(kind)) return;
    this.#followed.add(kind);
    const list = kind === 'todos' ? this.#todos() : this.#tasks();
    let written: string | undefined;
    const tell = coalesced(async () => {
      const now = list.now();
      if (!now || now.key === written) return;
      written = now.key;
      await this.#write({ event: kind, ...now.fields });
    });
    list.document.onChange(() => void tell());
    // A list on a server is unknown until it is read. The command that needs it will report an error.
    const read = orElse(() => list.document.recent(), undefined);
    void Promise.resolve(whenDone<unknown, void>(read, tell)).catch(() => {});
  }

  #todos() {
    const { todos } = this.#lists;
    const read = () => {
      const { items, version, updatedAt } = todos.get();
      return { key: String(version), fields: { todos: items, version, updatedAt } };
    };
    // The command that needs the list will report the error.
    const now = () => orElse(read, undefined);
    return { document: todos, now };
  }

  #tasks() {
    const document = this.#lists.tasks();
    const view = taskView(document);
    const now = () => {
      const tasks = view.rows().map((row) => fieldsOf(row, SHOWN));
      return { key: JSON.stringify(tasks), fields: { tasks } };
    };
    return { document, now };
  }
}
