import type { CallerState } from '../bash/bash-session.ts';
import type { RunOptions } from '../bash/run-options.ts';
import type { AgentBashHandler, CommandResult, CommandType } from '../command/agent-command.ts';
import type { Environment } from '../environment.ts';
import type { Guide } from '../guidance/guide.ts';
import type { PanelStream } from '../terminal/screen.ts';
import type { TodoStore } from '../todo/todo-store.ts';
import type { Approve } from './approval.ts';

/** What runs the lines that are not one literal agent command. */
export interface NativeShell {
  /** `$?` at the start of the next line. */
  lastExitCode: number;
  run(line: string, options: RunOptions): Promise<CommandResult>;
  /**
   * What a call of the agent command `name` would find now. Without this function, the router always makes such calls
   * itself, with the host's environment.
   */
  callerState?(name: string): CallerState | Promise<CallerState>;
  /** The process that runs the line itself, where there is one. */
  readonly pid?: number | undefined;
  /** The directory of the next line; that of this process where the shell does not tell. */
  readonly cwd?: string;
  dispose(): Promise<void>;
}

/** Options of a router. By default: TodoWrite and TodoRead on `todoStore`, and its own bash. */
export interface BashRouterOptions {
  /**
   * Whose router it is: its list is `todoStoreOf(agent)` unless given, and TODO_AGENT in its bash has this name. Questions
   * for approval name it, too.
   */
  agent?: string;
  /** The list of TodoWrite and TodoRead; `todoStore` unless given. */
  store?: TodoStore;
  /** The agent commands; TodoWrite and TodoRead on `store` unless given. */
  handlers?: readonly AgentBashHandler[];
  /** The environment of its bash; that of this process unless given. */
  env?: Environment;
  /** Where its bash starts; the current directory unless given. */
  cwd?: string;
  /**
   * A terminal to show the list on, such as `process.stdout`, until the router is disposed; elsewhere nothing is shown. What
   * else the program prints there goes through `router.panel.write`.
   */
  panel?: PanelStream;
  /**
   * What gives guidance on the list that the handlers write: notes on stderr, and reminders in the result. Unless given,
   * there is one on the list of the TodoWriteHandler among the handlers, with the settings of this process's
   * environment. `false`: no guidance.
   */
  guide?: Guide | false;
  /** Where reminders go; `field` unless given. */
  reminders?: ReminderPlace;
  /**
   * Asked before each line that goes to bash, one line at a time. Lines that are certainly nothing but calls of agent
   * commands just run. A line that is denied ends with exit code 126 and `Command execution denied: REASON` on stderr, and
   * nothing of it has run. This is consent, not a sandbox. Unless given, every line runs.
   */
  approve?: Approve;
  /**
   * Makes the shell for all other lines; a BashSession unless given. It gets the router's handlers, which must exist as
   * commands in it, and the environment and the directory that it is to have.
   */
  shell?: (
    handlers: ReadonlyMap<string, AgentBashHandler>,
    place: { readonly env: Environment; readonly cwd: string },
  ) => NativeShell;
}

/** What a subagent's router is made of. What is not given is as its parent's. */
export type ChildOptions = Pick<BashRouterOptions, 'approve' | 'cwd' | 'env' | 'handlers'> & {
  /** Its name, which the panel shows. */
  agent: string;
};

/**
 * How one line is run: its standard input, its time limit in milliseconds, a signal that cancels it, who hears its output
 * and how much of it is kept. The time limit begins when the line does: the wait for an approval does not count.
 */
export interface RouteOptions extends RunOptions {
  /** Asked about this line, in place of what the router was told. */
  approve?: Approve | undefined;
  /** Where reminders go for this line, in place of what the router was told. */
  reminders?: ReminderPlace;
}

/** Reminders are a field of the result or, for hosts that pass only text on, the first lines of its stderr. */
export type ReminderPlace = 'field' | 'stderr';

/** The result of one line. */
export interface RouteResult extends CommandResult {
  /** What the line was, as returned by `identifyCommandType`. */
  type: CommandType;
  /** Guidance, apart from what the line printed; each text has one or more lines. Missing if there is none. */
  reminders?: readonly string[];
}
