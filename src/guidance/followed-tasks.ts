import { orElse } from '../base/system/files.ts';
import type { Task } from '../tasks/task.ts';
import { settingsOf, type TaskContext, teamNews } from '../tasks/task-context.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import type { TaskWork } from './work.ts';

/** A team's tasks as the session of one agent sees them. */
export class FollowedTasks implements TaskWork {
  mine: readonly Task[] = [];
  commandsSinceChange = 0;
  readonly #context: TaskContext;
  #state = '';

  constructor(context: TaskContext) {
    this.#context = context;
  }

  commandEnded(): void {
    this.mine = this.#inProgress();
    const state = JSON.stringify(this.mine);
    this.commandsSinceChange = state === this.#state ? this.commandsSinceChange + 1 : 0;
    this.#state = state;
  }

  /** The agent's unread notices. Also renews its leases. Empty for an agent without a name: the line may be another agent's. */
  async news(): Promise<readonly string[]> {
    const { settings } = settingsOf(this.#context)();
    if (settings.agent === undefined) return [];
    this.#store()?.follow();
    return teamNews(this.#context, settings);
  }

  #inProgress(): Task[] {
    const { agent } = settingsOf(this.#context)().settings;
    return orElse(() => (agent === undefined ? [] : tasksInProgress(this.#store(), agent)), []);
  }

  /** Returns undefined if no list can be determined, which the command that needs it reports. */
  #store(): TaskStore | undefined {
    const { settings } = settingsOf(this.#context)();
    return orElse(() => this.#context.open(undefined, settings), undefined);
  }
}

export function tasksInProgress(store: TaskStore | undefined, agent: string | undefined): Task[] {
  return [...(store?.get().graph.tasks.values() ?? [])].filter(
    ({ owner, status }) => owner === agent && status === 'in_progress',
  );
}
