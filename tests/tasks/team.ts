import type { AgentBashHandler, CommandResult } from '../../src/base/command/agent-command.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../src/base/settings/settings.ts';
import type { LeaseClock } from '../../src/tasks/lease.ts';
import { taskCommands } from '../../src/tasks/task-commands.ts';
import { TaskStore } from '../../src/tasks/task-store.ts';
import { cleanEnvironment } from '../helpers/executables.ts';
import { failed } from '../helpers/replies.ts';

export const refused = (title: string, ...lines: string[]) =>
  failed(`Error: ${title}\n${lines.map((line) => `- ${line}\n`).join('')}`);

export const invalid = (...lines: string[]) => refused('Validation failed', ...lines);

export interface TeamOptions {
  settings?: Partial<Settings>;
  warnings?: readonly string[];
  hookLimitMs?: number | undefined;
  clock?: LeaseClock;
}

/** The task commands on lists in memory. */
export class Team {
  readonly stores = new Map<string, TaskStore>();
  readonly handlers: ReadonlyMap<string, AgentBashHandler>;

  constructor({ settings = {}, warnings = [], hookLimitMs, clock }: TeamOptions = {}) {
    const context = {
      open: (list = '') => {
        const store = this.stores.get(list) ?? new TaskStore(undefined, undefined, clock);
        this.stores.set(list, store);
        return store;
      },
      settings: () => ({ settings: { ...DEFAULT_SETTINGS, ...settings }, warnings }),
      around: {
        environment: cleanEnvironment(),
        cwd: '/',
        ...(hookLimitMs !== undefined && { limitMs: hookLimitMs }),
      },
    };
    this.handlers = new Map(taskCommands(context).map((handler) => [handler.name, handler]));
  }

  /** With a task for each letter. */
  static async of(subjects: string, options?: TeamOptions): Promise<Team> {
    const team = new Team(options);
    await team.call('TaskCreate', [JSON.stringify([...subjects].map((subject) => ({ subject })))]);
    return team;
  }

  /** @param stdin of the command. */
  call(name: string, argv: readonly string[], stdin = '', raw?: string): Promise<CommandResult> {
    const invocation = { argv, stdin: async () => stdin, ...(raw !== undefined && { raw }) };
    return this.handlers.get(name)?.execute(invocation) ?? Promise.reject(new Error(name));
  }

  /** Runs lines of words without quotes; returns the last result. */
  async run(...lines: string[]): Promise<CommandResult> {
    let result: CommandResult = { stdout: '', stderr: '', exitCode: 0 };
    for (const line of lines) {
      const [name = '', ...argv] = line.split(' ');
      result = await this.call(name, argv);
    }
    return result;
  }

  /** The stdout of the last of these lines. */
  async out(...lines: string[]): Promise<string> {
    return (await this.run(...lines)).stdout;
  }

  async err(...lines: string[]): Promise<string> {
    return (await this.run(...lines)).stderr;
  }
}
