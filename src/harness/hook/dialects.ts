import type { Environment } from '../../base/environment.ts';
import { orElse } from '../../base/system/files.ts';

/** An event of a harness, in terms common to all. */
export interface HookEvent {
  /** The harness's own name of the event; an answer may have to repeat it. */
  readonly name: string;
  /** The id of the harness's session. */
  readonly session: string;
  /** The directory of the session; undefined if unknown. */
  readonly directory: string | undefined;
  readonly what: Happening;
}

export type Happening =
  /** A conversation without the list: it begins, is resumed, or was cut. */
  | { readonly kind: 'start' }
  /** A prompt of the user, or, as a continuation, of the harness itself. */
  | { readonly kind: 'prompt'; readonly isContinuation?: boolean }
  /** The conversation is about to be cut, and the harness will not report its new start. */
  | { readonly kind: 'cut' }
  | ({ readonly kind: 'command' } & CommandEnd)
  /** A subagent begins or ends, in a harness that sends its events as those of the agent. */
  | { readonly kind: 'helper'; readonly begins: boolean }
  /** A command line is about to run; its user may be asked. */
  | { readonly kind: 'permission'; readonly line: string }
  | ({ readonly kind: 'stop' } & Stop)
  /** The session is over. */
  | { readonly kind: 'end' }
  | { readonly kind: 'other' };

/** A command line has ended. */
export interface CommandEnd {
  readonly line: string;
  /** Undefined if the harness does not report it. */
  readonly exitCode: number | undefined;
  /** The harness drops the reply. */
  readonly isReplyDropped?: true;
}

/** An agent is about to stop. */
export interface Stop {
  /** The agent already continues because of a hook. */
  readonly continues: boolean;
  readonly isPlanning: boolean;
  /** Something still runs, or the harness will wake the agent. */
  readonly hasBackgroundWork: boolean;
  /** Its last message. */
  readonly message: string;
}

export interface Reply {
  /** To be added to the conversation. */
  readonly context?: string;
  /** Why the agent should not stop yet. */
  readonly refusal?: string;
  /** For the person: the list in one line, if the command has changed it. */
  readonly progress?: string;
}

/** The end of each refusal. */
export const FINISH =
  'Finish, or say why not. Mark what is done with TodoWrite; if you cannot do the rest, tell the user why and stop.';

/** The dialect of one harness. */
export interface Dialect {
  /** The variable with its session id in the environment of commands. */
  readonly sessionVariable?: string;
  /** Prompts must repeat the list: it does not report each cut of its conversation, or drops the reply then. */
  readonly listAtPrompt?: boolean;
  /** It escapes angle brackets, so the mark of the item in progress is written as a word. */
  readonly escapesMarks?: boolean;
  /** The event whose reply may allow a command line, and that reply. In other harnesses no reply does, or it allows more. */
  readonly permission?: Readonly<{
    event: string;
    shell: string;
    allowed: object;
    /** Folders of settings, if the reply wins over the user's rules that ask. The event does not mention such rules. */
    folders?: (project: string, user: Environment) => readonly string[];
  }>;
  /** Returns undefined if the event does not tell. */
  exitCode?(input: HookInput): number | undefined;
  /** Corrects events whose meaning differs from their name. */
  adapt?(what: Happening, input: HookInput): Happening;
  /** The JSON for its standard output. */
  write(event: HookEvent, reply: Reply): object;
  /** The JSON that shows a line to the person. Only for a harness that hides the output of commands. */
  show?(line: string): object;
}

export type DialectName = keyof typeof DIALECTS;
type HookInput = Readonly<Record<string, unknown>>;

/** Recorded from the harnesses, except for Cursor: see docs/harnesses.md. */
export const DIALECTS = {
  claude: {
    sessionVariable: 'CLAUDE_CODE_SESSION_ID',
    exitCode: claudeExitCode,
    permission: {
      event: 'PreToolUse',
      shell: 'Bash',
      allowed: { permissionDecision: 'allow', permissionDecisionReason: 'only the task list' },
    },
    write: likeClaude('block'),
    show: (systemMessage) => ({ systemMessage }),
  },
  /** No exit codes. A line that a reply to PermissionRequest allows would run outside of the sandbox. */
  codex: { sessionVariable: 'CODEX_THREAD_ID', write: likeClaude('block') },
  gemini: {
    listAtPrompt: true,
    escapesMarks: true,
    exitCode: geminiExitCode,
    write: likeClaude('deny'),
  },
  qwen: {
    listAtPrompt: true,
    escapesMarks: true,
    exitCode: geminiExitCode,
    permission: {
      event: 'PermissionRequest',
      shell: 'run_shell_command',
      allowed: { decision: { behavior: 'allow' } },
      folders: (project, { QWEN_HOME, HOME }) => [
        `${project}/.qwen`,
        QWEN_HOME || `${HOME}/.qwen`,
        '/etc/qwen-code',
      ],
    },
    adapt: adaptQwen,
    write: likeClaude('block'),
  },
  cursor: {
    exitCode: ({ tool_output }) => numberIn(tool_output, 'exitCode'),
    adapt: adaptCursor,
    write: (_event, { context, refusal }) =>
      refusal === undefined ? { additional_context: context } : { followup_message: refusal },
  },
  /** Hooks that an older setup wrote for Kimi CLI, its predecessor, pass `--dialect kimi`. */
  kimi: {
    listAtPrompt: true,
    adapt: adaptKimi,
    write: (_event, { context, refusal }) => {
      const denied = { permissionDecision: 'deny', permissionDecisionReason: refusal };
      return refusal === undefined ? { message: context } : { hookSpecificOutput: denied };
    },
  },
  /** Spoken by the plugin that `agent-shell setup opencode` writes. */
  opencode: {
    sessionVariable: 'OPENCODE_SESSION_ID',
    exitCode: ({ exit }) => number(exit),
    write: (_event, { context }) => ({ context }),
  },
} satisfies Record<string, Dialect>;

export function dialectOf(input: HookInput): DialectName {
  const name = text(input.hook_event_name);
  if ('conversation_id' in input) return 'cursor';
  if (name.includes('.')) return 'opencode';
  if ('client_type' in input) return 'kimi';
  // Only Gemini CLI and its fork Qwen Code date their events; Qwen Code uses Claude Code's names.
  if ('timestamp' in input) {
    const isOfBoth = name === 'SessionStart' && !('permission_mode' in input);
    return !isOfBoth && /^(?:SessionStart|UserPrompt|PostTool|Stop|Permission)/.test(name)
      ? 'qwen'
      : 'gemini';
  }
  // Codex sends both the model and the mode, in all events; Claude Code never sends both.
  return 'turn_id' in input || ('model' in input && 'permission_mode' in input)
    ? 'codex'
    : 'claude';
}

/** No two harnesses use a name for different events. */
const EVENTS: Readonly<Record<string, Exclude<Happening['kind'], 'permission'>>> = {
  SessionStart: 'start',
  sessionStart: 'start',
  'chat.message': 'start',
  'experimental.session.compacting': 'start',
  UserPromptSubmit: 'prompt',
  BeforeAgent: 'prompt',
  PreCompress: 'cut',
  PreCompact: 'cut',
  SubagentStart: 'helper',
  SubagentStop: 'helper',
  PostToolUse: 'command',
  PostToolUseFailure: 'command',
  AfterTool: 'command',
  postToolUse: 'command',
  postToolUseFailure: 'command',
  'tool.execute.after': 'command',
  Stop: 'stop',
  AfterAgent: 'stop',
  stop: 'stop',
  SessionEnd: 'end',
};

export function readEvent(input: HookInput, dialect: Dialect): HookEvent {
  const name = text(input.hook_event_name);
  const [root] = Array.isArray(input.workspace_roots) ? input.workspace_roots : [];
  const what =
    name === dialect.permission?.event
      ? permissionAsked(input, dialect.permission.shell)
      : // A subagent's event: the list is not its own.
        'agent_id' in input
        ? OTHER_EVENT
        : happening(name, input, dialect);
  return {
    name,
    session: text(input.session_id ?? input.conversation_id),
    directory: optionalText(input.cwd) || optionalText(root),
    what: dialect.adapt?.(what, input) ?? what,
  };
}

const OTHER_EVENT: Happening = { kind: 'other' };
/**
 * Tools that change files. They count as lines: an agent may work with them alone. Read in the packages of Claude Code 2.1.197
 * (sdk-tools.d.ts), Gemini CLI 0.61.0 (EDIT_TOOL_NAME, WRITE_FILE_TOOL_NAME), Qwen Code 0.15.10 (ToolNames) and opencode 1.18.33,
 * in Codex's core/src/tools/hook_names.rs, and, for Delete, in Cursor's documentation; Kimi Code 2.1.0 offers
 * Edit and Write.
 */
const EDITING_TOOLS =
  /^(?:Edit|Write|NotebookEdit|replace|write_file|edit|write|apply_patch|Delete)$/;

function permissionAsked({ tool_name, tool_input }: HookInput, shell: string): Happening {
  const line = optionalText(object(tool_input).command);
  return tool_name === shell && line !== undefined ? { kind: 'permission', line } : OTHER_EVENT;
}

function happening(name: string, input: HookInput, dialect: Dialect): Happening {
  const kind = EVENTS[name] ?? 'other';
  switch (kind) {
    case 'cut':
      // Gemini CLI sends it before each request; only a manual one is sure to cut the conversation.
      return name === 'PreCompress' && input.trigger !== 'manual' ? OTHER_EVENT : { kind };
    case 'helper':
      return { kind, begins: name === 'SubagentStart' };
    case 'command': {
      const tool = text(input.tool_name);
      if (EDITING_TOOLS.test(tool)) return { kind, line: tool, exitCode: undefined };
      const line = optionalText(object(input.tool_input ?? input).command);
      return line === undefined ? OTHER_EVENT : { kind, line, exitCode: dialect.exitCode?.(input) };
    }
    case 'stop':
      return {
        kind,
        continues: input.stop_hook_active === true,
        isPlanning: input.permission_mode === 'plan',
        hasBackgroundWork: [input.background_tasks, input.session_crons].flat().some(Boolean),
        message: text(input.last_assistant_message ?? input.prompt_response),
      };
    default:
      return { kind };
  }
}

/** A failed command has an event of its own, whose error begins `Exit code 2`. */
function claudeExitCode(input: HookInput): number | undefined {
  if (input.hook_event_name === 'PostToolUseFailure') {
    const [, code] = /^Exit code (\d+)/.exec(text(input.error)) ?? [];
    return code === undefined || input.is_interrupt === true ? undefined : Number(code);
  }
  const response = object(input.tool_response);
  // The interpretation is there when it does not count an exit code as failure, as of a grep that finds nothing.
  const isUnclear =
    response.interrupted === true ||
    'backgroundTaskId' in response ||
    optionalText(response.returnCodeInterpretation) !== undefined;
  return isUnclear ? undefined : 0;
}

/** Newer versions of Qwen Code have an event for failed commands, with the exit code 0 if a signal ended it. */
function geminiExitCode(input: HookInput): number | undefined {
  const output = text(input.error ?? object(input.tool_response).llmContent);
  const [, code] = [...output.matchAll(/^Exit Code: (\d+)$/gm)].at(-1) ?? [];
  if (input.hook_event_name === 'PostToolUseFailure') return Number(code) || undefined;
  if (code !== undefined) return Number(code);
  return /^(?:Error|Signal|Background PIDs): /m.test(output) ? undefined : 0;
}

/** Qwen Code drops the reply to a start, sends tool results and refusals as prompts, and sets stop_hook_active at each stop. */
function adaptQwen(what: Happening, { prompt }: HookInput): Happening {
  if (what.kind === 'start') return { kind: 'cut' };
  const isContinuation = prompt === '' || text(prompt).endsWith(FINISH);
  if (what.kind === 'prompt') return { ...what, isContinuation };
  return what.kind === 'stop' ? { ...what, continues: false } : what;
}

/** Kimi Code drops the replies to a start and to commands. */
function adaptKimi(what: Happening): Happening {
  if (what.kind === 'start') return { kind: 'cut' };
  return what.kind === 'command' ? { ...what, isReplyDropped: true } : what;
}

/** Cursor drops the reply to a failed command, and has fields of its own for a stop. */
function adaptCursor(what: Happening, input: HookInput): Happening {
  const isFailure = input.hook_event_name === 'postToolUseFailure';
  if (what.kind === 'command' && isFailure)
    return { ...what, exitCode: undefined, isReplyDropped: true };
  const continues = input.status !== 'completed' || Number(input.loop_count ?? 0) > 0;
  return what.kind === 'stop' ? { ...what, continues } : what;
}

function likeClaude(decision: 'block' | 'deny'): Dialect['write'] {
  return ({ name }, { context, refusal }) =>
    refusal === undefined
      ? { hookSpecificOutput: { hookEventName: name, additionalContext: context } }
      : { decision, reason: refusal };
}

function numberIn(json: unknown, key: string): number | undefined {
  const value = typeof json === 'string' ? orElse(() => JSON.parse(json), undefined) : json;
  return number(object(value)[key]);
}

function object(value: unknown): HookInput {
  return typeof value === 'object' && value !== null ? (value as HookInput) : {};
}

const optionalText = (value: unknown) => (typeof value === 'string' ? value : undefined);
const text = (value: unknown) => optionalText(value) ?? '';
const number = (value: unknown) => (typeof value === 'number' ? value : undefined);
