import type {
  AgentBashHandler,
  CommandResult,
  CommandType,
} from '../../base/command/agent-command.ts';
import type { Environment } from '../../base/environment.ts';
import type { Guide } from '../../guidance/guide.ts';
import type { PanelStream } from '../../screen/terminal/screen.ts';
import type { TodoStore } from '../../todo/todo-store.ts';
import type { CallerState } from '../bash/bash-session.ts';
import type { RunOptions } from '../bash/run-options.ts';
import type { Approve } from './approval.ts';

/** Runs every line that is not one literal agent command. */
export interface NativeShell {
  /** `$?` at the start of the next line. */
  lastExitCode: number;
  run(line: string, options: RunOptions): Promise<CommandResult>;
  /** The state that a call of the agent command `name` would find now. If missing, the router makes all such calls itself. */
  callerState?(name: string): CallerState | Promise<CallerState>;
  /** The process of the shell. */
  readonly pid?: number | undefined;
  /** The directory of the next line; by default this process's. */
  readonly cwd?: string;
  dispose(): Promise<void>;
}

/** Options of a router. By default: TodoWrite, TodoRead and TodoProve on `todoStore`, and its own bash. */
export interface BashRouterOptions {
  /** The agent's name, for TODO_AGENT in its bash and for approval requests. Its list is `todoStoreOf(agent)` unless given. */
  agent?: string;
  /** The list of TodoWrite and TodoRead; `todoStore` unless given. */
  store?: TodoStore;
  /** The agent commands; TodoWrite, TodoRead and TodoProve on `store` unless given. */
  handlers?: readonly AgentBashHandler[];
  /** The environment of its bash, and its settings; that of this process unless given. */
  env?: Environment;
  /** Where its bash starts; the current directory unless given. */
  cwd?: string;
  /** How deep children may be nested; 1 unless given. 0: no children. */
  maxDepth?: number;
  /**
   * A terminal to show the list on, such as `process.stdout`, until the router is disposed. Print everything else on it with
   * `router.panel.write`.
   */
  panel?: PanelStream;
  /**
   * Guidance on the list: notes on stderr, and reminders in the result. By default, for the list of the TodoWriteHandler among
   * the handlers, with the settings of `env`. `false`: no guidance.
   */
  guide?: Guide | false;
  /** `field` unless given. */
  reminders?: ReminderPlace;
  /**
   * Asked before each line that goes to bash and before each check, one at a time; not for certain lines of agent commands
   * only. A denied line does not run; its exit code is 126, and stderr says `Command execution denied: REASON`. This is consent,
   * not a sandbox. By default, every line runs.
   */
  approve?: Approve;
  /** Makes the shell for all other lines; a BashSession unless given. The handlers must exist as commands in it. */
  shell?: (
    handlers: ReadonlyMap<string, AgentBashHandler>,
    place: { readonly env: Environment; readonly cwd: string },
  ) => NativeShell;
}

/** Options of a subagent's router, by default its parent's. */
export type ChildOptions = Pick<BashRouterOptions, 'approve' | 'cwd' | 'env' | 'handlers'> & {
  /** Its name, which the panel shows. */
  agent: string;
};

/** How to run one line. The time limit starts with the line: waiting for approval does not count. */
export interface RouteOptions extends RunOptions {
  /** Asked about this line instead of the router's `approve`. */
  approve?: Approve | undefined;
  /** Instead of the router's `reminders`. */
  reminders?: ReminderPlace;
}

/** Reminders are a field of the result or, for hosts that only pass text on, the first lines of stderr. */
export type ReminderPlace = 'field' | 'stderr';

/** The result of one line. */
export interface RouteResult extends CommandResult {
  /** The line's type, as returned by `identifyCommandType`. */
  type: CommandType;
  /** Texts of guidance, each of one or more lines. Missing if there are none. */
  reminders?: readonly string[];
}
