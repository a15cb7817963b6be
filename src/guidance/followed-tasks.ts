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
    const { settings } = settingsOf(this.#context)();
    const { agent } = settings;
    // The command that needs the list reports why it cannot be opened or read.
    const read = (of: string) => tasksInProgress(this.#context.open(undefined, settings), of);
    this.mine = agent === undefined ? [] : orElse(() => read(agent), []);
    const state = JSON.stringify(this.mine);
    this.commandsSinceChange = state === this.#state ? this.commandsSinceChange + 1 : 0;
    this.#state = state;
  }

  /** The agent's unread notices. Also renews its leases. Empty for an agent without a name: the line may be another agent's. */
  async news(): Promise<readonly string[]> {
    const { settings } = settingsOf(this.#context)();
    if (settings.agent === undefined) return [];
    orElse(() => this.#context.open(undefined, settings).follow(), undefined);
    return teamNews(this.#context, settings);
  }
}

export function tasksInProgress(store: TaskStore, agent: string): Task[] {
  return [...store.get().graph.tasks.values()].filter(
    ({ owner, status }) => owner === agent && status === 'in_progress',
  );
}
