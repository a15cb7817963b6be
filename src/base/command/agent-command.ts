import { reasonOf } from '../safe-text.ts';

/** Where a line goes: to one of the registered agent commands, or to bash. */
export enum CommandType {
  AGENT_SHELL_COMMAND = 'agent_shell_command',
  NATIVE_SHELL_COMMAND = 'native_shell_command',
}

/** The result of a command. */
export interface CommandResult {
  stdout: string;
  stderr: string;
  /** 0: success; 1: refused; 2: wrong usage; 3: storage; 124: timeout; 126: denied; 130: cancelled; 128 + N: killed by signal N. */
  exitCode: number;
}

/** The exit codes of agent commands. `wrongUsage`: wrong options, or settings that name no list. */
export const EXIT_CODES = { done: 0, refused: 1, wrongUsage: 2, storageTrouble: 3 } as const;

export function done(stdout: string, stderr = ''): CommandResult {
  return { stdout, stderr, exitCode: EXIT_CODES.done };
}

export function failed(
  how: Exclude<keyof typeof EXIT_CODES, 'done'>,
  stderr: string,
): CommandResult {
  return { stdout: '', stderr, exitCode: EXIT_CODES[how] };
}

/** A session whose host notices its end. */
export interface CallerSession {
  /** Unique. */
  readonly id: string;
  /** Does work when the session ends, or at once if it has ended; once for each key. */
  atEnd(key: unknown, work: () => Promise<unknown>): void;
}

/** One call of an agent command. */
export interface Invocation {
  /** The arguments after the command's name, as bash would pass them. */
  argv: readonly string[];
  /** Reads standard input to its end. Returns '' from a terminal, or if there is none. Rejects over 1 MiB in a bash. */
  stdin: () => Promise<string>;
  /**
   * The text after the command's name as it was typed, if the router saw it. A handler can read JSON from it whose quotes bash
   * removed, if `argv` has no valid JSON.
   */
  raw?: string;
  /**
   * TODO_SESSION, TODO_AGENT, TODO_TEAM and TODO_TASK_LIST as the caller has set them. If undefined, the host's own environment
   * is used.
   */
  env?: Readonly<Record<string, string>>;
  /** The caller's directory, if it sent its surroundings. */
  cwd?: string;
  /** Bash commands that restore the caller's directory and exported variables; sent from inside a bash by what runs checks. */
  surroundings?: string;
  /** The caller's session, if it ends before its host does. */
  session?: CallerSession | undefined;
  /** The calling process, for a call from inside a bash. */
  calledBy?: number;
  /** Resolves to the reason why a command must not be run for this call, or undefined. If missing, all may. */
  whyNotRun?: (command: string) => Promise<string | undefined>;
  /** Prints text on standard error while the command works. If missing, that text comes with the result. */
  tell?: (text: string) => void;
  /** Aborted when the caller has gone, or waits no longer. */
  signal?: AbortSignal;
}

/** A JSON Schema, as for tool calls. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** An agent command: the agent shell itself carries it out. A host can register its own beside TodoWrite and TodoRead. */
export interface AgentBashHandler {
  /** The command's name: letters, digits, `_` and `-`. */
  readonly name: string;
  /** A few words for a model's system prompt. */
  readonly summary?: string | undefined;
  /** True if the handler reads JSON from `raw`: then a line of its name and raw JSON is a call of it. */
  readonly readsRawJson?: boolean | undefined;
  /** Example input, for errors that show how to pass JSON in a heredoc. */
  readonly jsonExample?: string | undefined;
  /**
   * The JSON Schema of its input, for a host that offers it as a tool call too. The input is the only argument of `execute`, as
   * JSON; if the schema has no properties, there is no argument. It may change with the settings.
   */
  readonly inputSchema?: JsonSchema | undefined;
  /** True if it changes no list and no file; false unless given. */
  readonly isReadOnly?: boolean | undefined;
  /** True if simultaneous calls are safe; false unless given. */
  readonly isConcurrencySafe?: boolean | undefined;
  /** Never prints or exits: all output is in the result. */
  execute(invocation: Invocation): Promise<CommandResult>;
}

/** The handler with another `execute`. */
export function withExecute(
  handler: AgentBashHandler,
  execute: AgentBashHandler['execute'],
): AgentBashHandler {
  const { name, summary, readsRawJson, jsonExample, isReadOnly, isConcurrencySafe } = handler;
  return {
    ...{ name, summary, readsRawJson, jsonExample, isReadOnly, isConcurrencySafe, execute },
    get inputSchema() {
      return handler.inputSchema;
    },
  };
}

const MAX_REASON = 1000;

/** Runs a call of any handler, such as a host's. Never rejects. */
export function executeSafely(
  handler: AgentBashHandler,
  invocation: Invocation,
): Promise<CommandResult> {
  return asResult(
    () => handler.execute(invocation),
    (error) =>
      failed('refused', `${handler.name}: internal error: ${reasonOf(error, MAX_REASON)}\n`),
  );
}

/**
 * The result of a command; if it ends with an error, that error in words. Commands are caught nowhere else.
 *
 * @param complete adds to either what else there is to say.
 */
export async function asResult(
  command: () => CommandResult | Promise<CommandResult>,
  inWords: (error: unknown) => CommandResult,
  complete = (result: CommandResult) => result,
): Promise<CommandResult> {
  try {
    const result = await command();
    const { stdout, stderr, exitCode } = result ?? {};
    if (typeof stdout === 'string' && typeof stderr === 'string' && Number.isInteger(exitCode)) {
      return complete(result);
    }
    throw new TypeError('execute resolved to no { stdout, stderr, exitCode }');
  } catch (error) {
    return complete(inWords(error));
  }
}
