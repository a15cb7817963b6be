import {
  type AgentBashHandler,
  type CommandResult,
  type Invocation,
  withExecute,
} from '../command/agent-command.ts';
import { safeText } from '../safe-text.ts';
import type { Settings, SettingsSource } from '../settings.ts';
import { signOfLife } from '../tasks/news.ts';
import { readyTasks } from '../tasks/ready.ts';
import type { Task, TaskGraph } from '../tasks/task.ts';
import type { TaskContext } from '../tasks/task-command.ts';
import type { LastChange, TaskStore } from '../tasks/task-store.ts';
import { TASK_TEXTS } from './texts.ts';

const MAX_LINE_CHARACTERS = 300;

/** What guidance on a team's tasks is made of. */
export interface TaskGuideOptions {
  /** The list of tasks that the settings mean, asked each time; it may throw where there is none. */
  readonly tasks: (settings: Settings) => TaskStore;
  /** Asked each time. Reminders are about the tasks of the agent that they name. */
  readonly settings: SettingsSource;
  /** The team's list as the commands see it, for news of it and for leases; without it there are none. */
  readonly context?: TaskContext;
}

/** Says which tasks are ready when one was completed, and reminds an agent of its tasks that nothing happens to. */
export class TaskGuide {
  readonly #options: TaskGuideOptions;
  /** The agent's tasks in progress as they were after the last line, and how many lines they have been so. */
  #mine = '';
  #lines = 0;
  readonly #given = new Set<string>();

  constructor(options: TaskGuideOptions) {
    this.#options = options;
  }

  /** The same command, which also says on stderr what is ready, where a task was completed by it. */
  guided(handler: AgentBashHandler): AgentBashHandler {
    const execute = async (invocation: Invocation): Promise<CommandResult> => {
      const { settings } = this.#options.settings(invocation);
      const before = this.#store(settings)?.lastChange;
      const result = await handler.execute(invocation);
      const change = this.#store(settings)?.lastChange;
      const isSilent = result.exitCode !== 0 || settings.guidance === 'off';
      if (isSilent || change === undefined || change === before) return result;
      const ready = isCompletion(change) ? readyTasks(change.after) : [];
      if (ready.length === 0) return result;
      return { ...result, stderr: `${result.stderr}${note(TASK_TEXTS.ready(ready))}\n` };
    };
    return withExecute(handler, execute);
  }

  /** To be called when a line has ended. Gives the reminders that are due, each of some lines. */
  commandEnded(): readonly string[] {
    const { settings } = this.#options.settings();
    const { guidance, reminderTurns } = settings;
    const tasks = this.#tasksInProgress(settings);
    const mine = tasks.length === 0 ? '' : JSON.stringify(tasks);
    this.#lines = mine === this.#mine ? this.#lines + 1 : 0;
    this.#mine = mine;
    const isDue = mine !== '' && this.#lines >= reminderTurns && !this.#given.has(mine);
    if (!isDue || guidance !== 'all') return [];
    this.#given.add(mine);
    return [TASK_TEXTS.stale({ tasks, commands: this.#lines }).map(note).join('\n')];
  }

  /**
   * What others did that concerns the agent, a text or none; its leases are renewed. To be called when a line has ended,
   * for an agent that has a name: of all others nobody knows whether the line was theirs.
   */
  async news(): Promise<readonly string[]> {
    const { context } = this.#options;
    const { settings } = this.#options.settings();
    if (context === undefined || settings.agent === undefined) return [];
    const lines = await signOfLife(context, settings);
    return lines.length > 0 ? [lines.join('').trimEnd()] : [];
  }

  #tasksInProgress(settings: Settings): Task[] {
    const { agent } = settings;
    const graph = agent === undefined ? undefined : this.#graph(settings);
    if (graph === undefined) return [];
    return [...graph.tasks.values()].filter(
      ({ owner, status }) => owner === agent && status === 'in_progress',
    );
  }

  /** Undefined where it cannot be told which list it is: the command that needs it says so itself. */
  #store(settings: Settings): TaskStore | undefined {
    try {
      return this.#options.tasks(settings);
    } catch {
      return undefined;
    }
  }

  #graph(settings: Settings): TaskGraph | undefined {
    try {
      return this.#store(settings)?.get().graph;
    } catch {
      return undefined;
    }
  }
}

function isCompletion({ before, after }: LastChange): boolean {
  for (const task of after.tasks.values()) {
    const was = before.tasks.get(task.id);
    if (task.status === 'completed' && was !== task && was?.status !== 'completed') return true;
  }
  return false;
}

function note(line: string): string {
  return `Note: ${safeText(line, MAX_LINE_CHARACTERS)}`;
}
