import { CommandType } from '../command/agent-command.ts';
import { Guide } from '../guidance/guide.ts';
import { GUIDANCE_RULES } from '../guidance/rules.ts';
import type { TaskGuide } from '../guidance/task-guide.ts';
import { parseLiteralCommand } from '../router/literal-command.ts';
import type { GuidanceSettings } from '../settings.ts';
import type { TodoVersion } from '../todo/todo-store.ts';

/** One line that was run at the prompt, and the versions of the lists after it; undefined for no list. */
export interface PromptCommand {
  /** Empty where the shell's history does not have it. */
  readonly line: string;
  readonly exitCode: number;
  readonly todos: number | undefined;
  readonly tasks: number | undefined;
}

export interface ReplayOptions {
  readonly commands: readonly PromptCommand[];
  /** The list of todos as it is now. */
  readonly now: TodoVersion;
  /** The versions that are kept, by number. */
  readonly versions: ReadonlyMap<number, TodoVersion>;
  readonly settings: GuidanceSettings;
  readonly tasks: Pick<TaskGuide, 'commandEnded'>;
}

/** What guidance says after the last command, and after how many more it may have something to say; -1: never. */
export interface ReplayedGuidance {
  readonly said: readonly string[];
  readonly due: number;
}

/** No list goes without a reminder for longer. */
const FARTHEST_LOOK = 250;
/** `TodoWrite` says the other notes itself; only the shell knows which commands ran before it. */
const RULES = GUIDANCE_RULES.filter(
  ({ kind, name }) => kind === 'reminder' || name === 'missing-evidence',
);
const AGENT_COMMAND = { has: (name: string) => /^(Todo(Read|Write)|Task[A-Z][a-z]+)$/.test(name) };
const WRITES_LIST = /\bTodoWrite\b/;

/**
 * Guidance for a shell that keeps no process beside it: all that was run at its prompt is played again to a guide, which
 * says at the end what it would have said then.
 */
export async function replayGuidance(options: ReplayOptions): Promise<ReplayedGuidance> {
  const { commands, now, versions, settings } = options;
  const lastTaskChange = commands.findLastIndex(({ tasks }) => tasks !== commands.at(-1)?.tasks);
  let list: TodoVersion | undefined;
  let index = 0;
  const newGuide = () => {
    const guide = new Guide({
      store: { get: () => list },
      rules: RULES,
      settings: () => settings,
      tasks: {
        commandEnded: () => (index > lastTaskChange + 1 ? options.tasks.commandEnded() : []),
      },
    });
    guide.look();
    return guide;
  };

  let guide = newGuide();
  let said: readonly string[] = [];
  for (const { line, exitCode, todos } of commands) {
    const after = todos === undefined ? undefined : versions.get(todos);
    const isWrittenHere = WRITES_LIST.test(line) && (list !== undefined || todos === 1);
    list ??= isWrittenHere ? { ...now, version: 0, items: [] } : after;
    if (after && after.version !== list?.version && !isWrittenHere) {
      // Somebody else's work: nothing is known of how it was done.
      list = after;
      guide = newGuide();
    }
    guide.look();
    guide.commandStarted(line, typeOf(line));
    index++;
    const change = () => {
      list = after;
    };
    // To find the notes of all that is past again would take long, for nothing.
    const notes = index < commands.length ? change() : await noteChange(guide, change);
    said = [...(notes ?? []), ...guide.commandEnded(exitCode)];
  }

  if (list?.version !== now.version) {
    list = now;
    guide = newGuide();
  }
  let due = -1;
  for (let more = 1; more <= FARTHEST_LOOK && due < 0; more++) {
    guide.commandStarted('', CommandType.NATIVE_SHELL_COMMAND);
    if (guide.commandEnded(0).length > 0) due = more;
  }
  return { said, due };
}

/** What the guide notes on a change of the list, which it takes for that of a handler. */
async function noteChange(guide: Guide, change: () => void): Promise<string[]> {
  const execute = async () => {
    change();
    return { stdout: '', stderr: '', exitCode: 0 };
  };
  const handler = guide.guided({ name: 'TodoWrite', execute });
  const { stderr } = await handler.execute({ argv: [], stdin: async () => '' });
  return stderr.split('\n').filter(Boolean);
}

function typeOf(line: string): CommandType {
  return parseLiteralCommand(line, AGENT_COMMAND)
    ? CommandType.AGENT_SHELL_COMMAND
    : CommandType.NATIVE_SHELL_COMMAND;
}
