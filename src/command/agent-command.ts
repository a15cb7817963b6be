import { safeText } from '../safe-text.ts';

/** Where a line goes: to one of the registered agent commands, or to bash. */
export enum CommandType {
  AGENT_SHELL_COMMAND = 'agent_shell_command',
  NATIVE_SHELL_COMMAND = 'native_shell_command',
}

/** What a command leaves behind, as a shell sees it. */
export interface CommandResult {
  stdout: string;
  stderr: string;
  /** 0 is success; 1 a refused request; 2 wrong usage; 124 a timeout; 126 denied; 130 a cancel; 128 + N death by signal N. */
  exitCode: number;
}

/**
 * How the agent commands themselves end. `refused`: what was asked for is not done, whatever the text was; `wrongUsage`: an
 * unknown option or a wrong use of one, or settings that name no list.
 */
export const EXIT_CODES = { done: 0, refused: 1, wrongUsage: 2, storageTrouble: 3 } as const;

/** A command that did what it was asked. */
export function done(stdout: string, stderr = ''): CommandResult {
  return { stdout, stderr, exitCode: EXIT_CODES.done };
}

/** A command that failed; stderr says why. */
export function failed(
  how: Exclude<keyof typeof EXIT_CODES, 'done'>,
  stderr: string,
): CommandResult {
  return { stdout: '', stderr, exitCode: EXIT_CODES[how] };
}

/** A session whose host notices its end. */
export interface CallerSession {
  /** That of no other session. */
  readonly id: string;
  /** Has work done when the session ends, or at once if it has ended; once for each key. */
  atEnd(key: unknown, work: () => Promise<unknown>): void;
}

/** One call of an agent command. */
export interface Invocation {
  /** The arguments after the command's name, as bash would pass them. */
  argv: readonly string[];
  /** Reads standard input to its end. An interactive shell and a missing redirection give the empty string. */
  stdin: () => Promise<string>;
  /**
   * The text after the command's name as the model typed it, if the router saw it. A handler can read JSON from it
   * whose quotes bash removed; bash's own reading in `argv` comes first.
   */
  raw?: string;
  /**
   * Those of TODO_SESSION, TODO_AGENT, TODO_TEAM and TODO_TASK_LIST that are set in the caller's environment, exported
   * or before the command. If undefined, the host's own environment is used.
   */
  env?: Readonly<Record<string, string>>;
  /**
   * The lines that the caller's session ran before this call, oldest first; the last may be what has run of the line that
   * calls. Missing if nobody recorded them.
   */
  seen?: () => readonly SeenLine[];
  /**
   * Bash commands that bring back the caller's directory and its exported variables; there with `--prove`, where the call
   * came from inside a bash.
   */
  surroundings?: string;
  /** The session that the call is part of, if it ends before its host does. */
  session?: CallerSession | undefined;
  /** The process that called, where the call came from inside a bash. */
  calledBy?: number;
  /** Why a command must not be run for this call; undefined if it may. Without it any may. */
  whyNotRun?: (command: string) => Promise<string | undefined>;
  /** Prints text on standard error while the command works. Without it, that text comes with the result. */
  tell?: (text: string) => void;
  /** Aborted when the caller is gone. */
  signal?: AbortSignal;
}

/** One line that a session has run. */
export interface SeenLine {
  readonly line: string;
  /** Undefined if nobody knows how it ended. */
  readonly exitCode: number | undefined;
  /** It began at this time or later. */
  readonly from: Date;
  /** When it had ended. */
  readonly at: Date;
}

/** A JSON Schema, as tool calls take it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A command that the agent shell itself carries out. A host registers its own beside TodoWrite and TodoRead. */
export interface AgentBashHandler {
  /** The command's name on a command line: letters, digits, `_` and `-`. */
  readonly name: string;
  /** What it does, in a few words for a model's system prompt. */
  readonly summary?: string | undefined;
  /** Whether the handler can read JSON from `raw`: then a line that is this name and raw JSON is a call of it. */
  readonly readsRawJson?: boolean;
  /** Example input, for errors that show how to pass JSON in a heredoc. */
  readonly jsonExample?: string | undefined;
  /**
   * The JSON Schema of its input, for a host that offers it as a tool call too. The input is the one argument of `execute`,
   * as JSON; where the schema has no properties, there is none. It may change with the settings.
   */
  readonly inputSchema?: JsonSchema | undefined;
  /** Whether it leaves all lists and files as they are; false unless given. */
  readonly isReadOnly?: boolean;
  /** Whether calls at the same time all do what they say; false unless given. */
  readonly isConcurrencySafe?: boolean;
  /** Never prints or exits: all output is in the result. */
  execute(invocation: Invocation): Promise<CommandResult>;
}

/** The same command, carried out in another way. */
export function withExecute(
  handler: AgentBashHandler,
  execute: AgentBashHandler['execute'],
): AgentBashHandler {
  const { name, readsRawJson = false, summary, jsonExample } = handler;
  const { isReadOnly = false, isConcurrencySafe = false } = handler;
  return {
    name,
    readsRawJson,
    isReadOnly,
    isConcurrencySafe,
    summary,
    jsonExample,
    get inputSchema() {
      return handler.inputSchema;
    },
    execute,
  };
}

const MAX_REASON = 1000;

/** Runs a call. If the handler throws, the result is an ordinary error. */
export async function executeSafely(
  handler: AgentBashHandler,
  invocation: Invocation,
): Promise<CommandResult> {
  try {
    return await handler.execute(invocation);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return failed('refused', `${handler.name}: internal error: ${safeText(reason, MAX_REASON)}\n`);
  }
}
