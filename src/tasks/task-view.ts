import { openBlockers, type Task } from './task.ts';
import type { TaskStore } from './task-store.ts';

/** What a row of a panel needs of a task. */
export interface TaskRow
  extends Pick<Task, 'id' | 'subject' | 'activeForm' | 'owner' | 'status' | 'proof'> {
  /** The tasks that it still waits for; none for a completed one. */
  readonly openBlockers: readonly number[];
}

/** A list of tasks for those who only look on. */
export interface TaskView {
  /** The tasks as they are. Never fails: what cannot be read is as it was seen last. */
  rows(): readonly TaskRow[];
  /** Calls back after a change. Returns what ends it. */
  onChange(listener: () => void): () => void;
}

/** Lets others look on at the tasks of a store. */
export function taskView(store: TaskStore): TaskView {
  let seen: ReturnType<TaskStore['get']>['graph'] | undefined;
  let rows: readonly TaskRow[] = [];
  return {
    rows: () => {
      try {
        const { graph } = store.get();
        if (graph !== seen) {
          seen = graph;
          const shown = [...graph.tasks.values()].filter(({ isArchived }) => !isArchived);
          rows = shown.map((task) => ({
            ...task,
            openBlockers: task.status === 'completed' ? [] : openBlockers(graph, task),
          }));
        }
      } catch {
        // The next command that needs the list will say what is wrong with it.
      }
      return rows;
    },
    onChange: (listener) => store.onChange(listener),
  };
}
