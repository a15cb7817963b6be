/** How far a task is: not begun, being worked on now, wholly done. */
export type TodoStatus = 'pending' | 'in_progress' | 'completed';
/** How much a task matters, where its list says so. */
export type TodoPriority = 'high' | 'medium' | 'low';

/** One task of the list. */
export interface TodoItem {
  /** What is to be done: "Run tests". */
  content: string;
  /** The same while it is being done: "Running tests". */
  activeForm: string;
  status: TodoStatus;
  /** A name by which the writer of the list knows the task. */
  id?: string;
  /** Items that carry one are sorted by it in the panel. */
  priority?: TodoPriority;
}

/** The list at one moment. Frozen, items included. */
export interface TodoState {
  readonly items: readonly Readonly<TodoItem>[];
  /** When the list was last replaced; for a list never written, when the store was made. */
  readonly updatedAt: Date;
}

/** Hears of each change of a store. One that throws silences no other and undoes no update: it becomes a warning. */
export type TodoListener = (state: TodoState) => void;

/**
 * Holds one task list and tells its listeners of each change.
 *
 * An update replaces the whole list; nothing is merged. Snapshots are frozen copies, so that nothing that a caller
 * does to its own array afterwards changes the store.
 */
export class TodoStore {
  readonly #now: () => Date;
  readonly #listeners = new Set<{ listener: TodoListener }>();
  #state: TodoState;

  /** An empty list. @param now The clock that `updatedAt` is read from; that of the machine unless given. */
  constructor(now: () => Date = () => new Date()) {
    this.#now = now;
    this.#state = snapshot([], now());
  }

  /** The list as it stands. A later update does not change what was returned. */
  get(): TodoState {
    return this.#state;
  }

  /**
   * Replaces the list and calls the listeners, in the order in which they were added. The items are copied as they
   * are: who takes them from outside checks them first, with `validateTodoList`.
   */
  update(items: readonly TodoItem[]): void {
    const state = snapshot(items, this.#now());
    this.#state = state;
    for (const { listener } of [...this.#listeners]) {
      try {
        listener(state);
      } catch (error) {
        // The update stands and the others must hear of it; a warning keeps the error from being lost.
        process.emitWarning(error instanceof Error ? error : new Error(String(error)));
      }
    }
  }

  /** The same as `update([])`. */
  clear(): void {
    this.update([]);
  }

  /** Calls `listener` with each later state, not with the present one. Returns what ends it. */
  onChange(listener: TodoListener): () => void {
    const entry = { listener };
    this.#listeners.add(entry);
    return () => {
      this.#listeners.delete(entry);
    };
  }
}

function snapshot(items: readonly TodoItem[], updatedAt: Date): TodoState {
  return Object.freeze({
    items: Object.freeze(items.map((item) => Object.freeze({ ...item }))),
    updatedAt,
  });
}

/** The list that a program shares when it needs only one. */
export const todoStore: TodoStore = new TodoStore();
