import type { HookChange, HookName } from './hooks.ts';
import type { Reason } from './refused.ts';
import type { TaskStore } from './task-store.ts';

/** What one call of a task command knows beside its request. */
export interface TaskCall {
  readonly store: TaskStore;
  /** Who calls; undefined where nobody said. */
  readonly agent: string | undefined;
  /** Whether `--agent` said so. */
  readonly isAgentGiven: boolean;
  /** The setting TODO_ONE_TASK_PER_AGENT. */
  readonly oneTaskPerAgent: boolean;
  /** The flags that were given. */
  readonly flags: ReadonlySet<string>;
  /** Asks a hook whether a change may be made. */
  readonly approve: (hook: HookName, change: HookChange) => Promise<Reason | undefined>;
}
