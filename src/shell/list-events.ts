import type { TaskView } from '../tasks/task-store.ts';
import type { TodoList } from '../todo/todo-store.ts';

/** Sends lists to a client, now and after each change, whoever makes it. */
export class ListEvents {
  readonly #lists: { readonly todos: TodoList; readonly tasks: () => TaskView };
  readonly #write: (event: Record<string, unknown>) => Promise<void>;
  readonly #ends = new Map<string, () => void>();

  /** @param write resolves when the client has room for more. */
  constructor(
    lists: { readonly todos: TodoList; readonly tasks: () => TaskView },
    write: (event: Record<string, unknown>) => Promise<void>,
  ) {
    this.#lists = lists;
    this.#write = write;
  }

  /** Writes the list now and after each change. A client that does not read gets only the latest. */
  async follow(kind: 'todos' | 'tasks'): Promise<void> {
    if (this.#ends.has(kind)) return;
    const list = kind === 'todos' ? this.#todos() : this.#tasks();
    let written: string | undefined;
    let isWriting = false;
    const tell = async () => {
      if (isWriting) return;
      isWriting = true;
      for (let now = list.now(); now && now.key !== written; now = list.now()) {
        written = now.key;
        await this.#write({ event: kind, ...now.fields });
      }
      isWriting = false;
    };
    this.#ends.set(
      kind,
      list.onChange(() => void tell()),
    );
    await tell();
  }

  end(): void {
    for (const end of this.#ends.values()) end();
    this.#ends.clear();
  }

  #todos() {
    const { todos } = this.#lists;
    const now = () => {
      try {
        const { items, version, updatedAt } = todos.get();
        return { key: String(version), fields: { todos: items, version, updatedAt } };
      } catch {
        // If the list cannot be read now, the command that needs it will say so.
        return undefined;
      }
    };
    return { now, onChange: (listener: () => void) => todos.onChange(listener) };
  }

  #tasks() {
    const source = this.#lists.tasks();
    const now = () => {
      const tasks = source
        .rows()
        .map(({ id, subject, activeForm, owner, status, openBlockers }) => ({
          id,
          subject,
          activeForm,
          status,
          owner,
          openBlockers,
        }));
      return { key: JSON.stringify(tasks), fields: { tasks } };
    };
    return { now, onChange: (listener: () => void) => source.onChange(listener) };
  }
}
