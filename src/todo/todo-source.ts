import type { Invocation } from '../base/command/agent-command.ts';
import type { Options } from '../base/command/options.ts';
import { DEFAULT_SETTINGS, type Settings, type SettingsSource } from '../base/settings/settings.ts';
import type { Awaitable } from '../lists/maybe-async.ts';
import type { TodoHome } from './todo-home.ts';
import { type TodoList, todoStoreOf } from './todo-store.ts';
import type { TodoVersion } from './todo-version.ts';

/**
 * Opens the list of a session and an agent; the call's settings are the default. Without such a list, returns the problem,
 * without `Error: `.
 */
export type OpenList = (
  name: { session?: string; agent?: string },
  settings: Settings,
) => Awaitable<TodoList | { problem: string }>;

/** A command's list; or a function that opens lists, if callers may choose. */
export type TodoSource = TodoList | OpenList;

/** Gives notes on each change, besides those of a `Guide`. */
export type Advise = (
  list: TodoList,
  before: TodoVersion,
  after: TodoVersion,
) => Promise<readonly string[]>;

type ProgramHome = Pick<TodoHome, 'around' | 'setUntilDone'>;

/** The base of TodoWrite, TodoRead and TodoProve. */
export abstract class TodoCommand {
  protected readonly source: TodoSource;
  protected readonly settings: SettingsSource;
  protected readonly home: Partial<ProgramHome> | undefined;
  protected readonly advise: Advise | undefined;

  /**
   * @param source default: `todoStore`.
   * @param settings read at each call, so that changes take effect at once; default: `DEFAULT_SETTINGS`.
   * @param home of the program: where checks run if the call does not say, and for `--until-done`. Without it, only calls from
   *   inside a bash run checks, and there is no `--until-done`.
   */
  constructor(
    source: TodoSource = todoStoreOf(),
    settings: SettingsSource = () => ({ settings: DEFAULT_SETTINGS, warnings: [] }),
    home?: Partial<ProgramHome>,
    advise?: Advise,
  ) {
    this.source = source;
    this.settings = settings;
    this.home = home;
    this.advise = advise;
  }

  /** Opens the list named by the call's options and settings. */
  protected open(
    { '--session': session, '--agent': agent }: Options<typeof LIST_OPTIONS>,
    settings: Settings,
    { env }: Pick<Invocation, 'env'>,
  ): Awaitable<TodoList | { problem: string }> {
    const { source } = this;
    if (typeof source === 'function') return source({ session, agent }, settings);
    if (session !== undefined || agent !== undefined) {
      const option = session === undefined ? '--agent' : '--session';
      return { problem: `this shell keeps one list, in memory: leave ${option} out` };
    }
    const variable = env && otherList(settings, this.settings().settings);
    if (variable === undefined) return source;
    return {
      problem: `this shell keeps one list, in memory, and ${variable} names another; unset it to use this one`,
    };
  }
}

export const LIST_OPTIONS = { '--session': 'name', '--agent': 'name' } as const;

/** Parts of the commands' forms. */
export const LIST_FORM = {
  ofCaller: () => Object.keys(LIST_OPTIONS),
  repair: 'no earlier version is intact; write a whole new list: TodoWrite \'{"todos":[...]}\'',
};

/** The variable by which a caller names another list than the host's. */
function otherList(callers: Settings, own: Settings): string | undefined {
  if (callers.session !== undefined && callers.session !== own.session) return 'TODO_SESSION';
  if (callers.agent !== undefined && callers.agent !== own.agent) return 'TODO_AGENT';
  return undefined;
}
