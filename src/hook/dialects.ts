import type { HookEvent, Reply, Stop } from './event.ts';

/** What one harness sends and understands. */
interface Dialect {
  /** The variable by which it tells the commands that it runs the id of its session; undefined if it does not. */
  readonly sessionVariable?: string;
  read(input: Input): Omit<HookEvent, 'what'> & { what: HookEvent['what'] };
  /** The JSON for its standard output. */
  write(event: HookEvent, reply: Reply): object;
}

export type DialectName = keyof typeof DIALECTS;
type Input = Readonly<Record<string, unknown>>;

/** As docs/harnesses.md says, each was recorded from the harness itself, but for Cursor's. */
export const DIALECTS = {
  claude: {
    sessionVariable: 'CLAUDE_CODE_SESSION_ID',
    read: (input) => readLikeClaude(input, claudeExitCode),
    write: (event, reply) => writeLikeClaude(event, reply, 'block'),
  },
  codex: {
    sessionVariable: 'CODEX_THREAD_ID',
    // It tells what a command printed, not how it ended.
    read: (input) => readLikeClaude(input, () => undefined),
    write: (event, reply) => writeLikeClaude(event, reply, 'block'),
  },
  gemini: {
    read: (input) => readLikeClaude(input, geminiExitCode),
    write: (event, reply) => writeLikeClaude(event, reply, 'deny'),
  },
  cursor: {
    read: readCursor,
    write: (_event, { context, refusal }) =>
      refusal === undefined ? { additional_context: context } : { followup_message: refusal },
  },
  /** Spoken by the plugin that `agent-shell setup opencode` writes. */
  opencode: {
    sessionVariable: 'OPENCODE_SESSION_ID',
    read: readOpencode,
    write: (_event, { context }) => ({ context }),
  },
} satisfies Record<string, Dialect>;

export const DIALECT_NAMES = Object.keys(DIALECTS) as DialectName[];

/** Which harness sent an input. */
export function dialectOf(input: Input): DialectName {
  if ('conversation_id' in input) return 'cursor';
  if (text(input.hook_event_name).includes('.')) return 'opencode';
  // Only Gemini CLI dates its events.
  if ('timestamp' in input) return 'gemini';
  // Codex names the model and the mode in all events, Claude Code in none of them both.
  return 'turn_id' in input || ('model' in input && 'permission_mode' in input)
    ? 'codex'
    : 'claude';
}

function readLikeClaude(input: Input, exitCodeOf: (input: Input) => number | undefined): HookEvent {
  const name = text(input.hook_event_name);
  return {
    name,
    session: text(input.session_id),
    directory: optionalText(input.cwd),
    // A subagent works for itself: the list is not its own.
    what: 'agent_id' in input ? { kind: 'other' } : happening(),
  };

  function happening(): HookEvent['what'] {
    switch (name) {
      case 'SessionStart':
        return { kind: 'start' };
      case 'UserPromptSubmit':
      case 'BeforeAgent':
        return { kind: 'prompt' };
      case 'PreCompress':
        // Sent before each request; only what the user asked for is sure to cut the conversation.
        return { kind: input.trigger === 'manual' ? 'cut' : 'other' };
      case 'PostToolUse':
      case 'PostToolUseFailure':
      case 'AfterTool':
        return command(input.tool_input, exitCodeOf(input));
      case 'Stop':
      case 'AfterAgent':
        return {
          kind: 'stop',
          continues: input.stop_hook_active === true,
          isPlanning: input.permission_mode === 'plan',
          hasBackgroundWork: isSome(input.background_tasks) || isSome(input.session_crons),
          message: text(input.last_assistant_message ?? input.prompt_response),
        };
      default:
        return { kind: 'other' };
    }
  }
}

/** A command of Bash that failed has an event of its own, which begins `Exit code 2`. */
function claudeExitCode(input: Input): number | undefined {
  if (input.hook_event_name === 'PostToolUseFailure') {
    const [, code] = /^Exit code (\d+)/.exec(text(input.error)) ?? [];
    return code === undefined || input.is_interrupt === true ? undefined : Number(code);
  }
  const response = object(input.tool_response);
  // grep that finds nothing is no failure there; and what goes on in the background has not ended.
  const isUnclear =
    response.interrupted === true ||
    'backgroundTaskId' in response ||
    optionalText(response.returnCodeInterpretation) !== undefined;
  return isUnclear ? undefined : 0;
}

function geminiExitCode(input: Input): number | undefined {
  const output = text(object(input.tool_response).llmContent);
  const [, code] = [...output.matchAll(/^Exit Code: (\d+)$/gm)].at(-1) ?? [];
  if (code !== undefined) return Number(code);
  return /^(?:Error|Signal|Background PIDs): /m.test(output) ? undefined : 0;
}

function writeLikeClaude(event: HookEvent, reply: Reply, decision: 'block' | 'deny'): object {
  if (reply.refusal !== undefined) return { decision, reason: reply.refusal };
  return {
    hookSpecificOutput: { hookEventName: event.name, additionalContext: reply.context },
  };
}

function readCursor(input: Input): HookEvent {
  const name = text(input.hook_event_name);
  const roots = Array.isArray(input.workspace_roots) ? input.workspace_roots : [];
  const happening = (): HookEvent['what'] => {
    switch (name) {
      case 'sessionStart':
        return { kind: 'start' };
      case 'postToolUse':
        return command(input.tool_input, numberIn(input.tool_output, 'exitCode'));
      case 'postToolUseFailure': {
        const failed = command(input.tool_input, undefined);
        return failed.kind === 'command' ? { ...failed, isUnheard: true } : failed;
      }
      case 'stop':
        return {
          kind: 'stop',
          continues: input.status !== 'completed' || Number(input.loop_count ?? 0) > 0,
          ...NOTHING_KNOWN,
        };
      default:
        return { kind: 'other' };
    }
  };
  return {
    name,
    session: text(input.conversation_id),
    directory: optionalText(input.cwd) || optionalText(roots[0]),
    what: happening(),
  };
}

const NOTHING_KNOWN: Omit<Stop, 'continues'> = {
  isPlanning: false,
  hasBackgroundWork: false,
  message: '',
};

function readOpencode(input: Input): HookEvent {
  const name = text(input.hook_event_name);
  const isCommand = name === 'tool.execute.after';
  return {
    name,
    session: text(input.session_id),
    directory: optionalText(input.cwd),
    what: isCommand ? command(input, number(input.exit)) : { kind: 'start' },
  };
}

/** A tool that takes no command line is none that we follow. */
function command(input: unknown, exitCode: number | undefined): HookEvent['what'] {
  const line = optionalText(object(input).command);
  return line === undefined ? { kind: 'other' } : { kind: 'command', line, exitCode };
}

function numberIn(json: unknown, key: string): number | undefined {
  try {
    return number(object(typeof json === 'string' ? JSON.parse(json) : json)[key]);
  } catch {
    return undefined;
  }
}

function isSome(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

function object(value: unknown): Input {
  return typeof value === 'object' && value !== null ? (value as Input) : {};
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function optionalText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
