import { CommandType } from '../command/agent-command.ts';
import { FollowedTasks } from '../guidance/followed-tasks.ts';
import { Replay } from '../guidance/replay.ts';
import { LINE_RULES, TASK_RULES } from '../guidance/rules.ts';
import { literalWords } from '../line/words.ts';
import type { Settings } from '../settings/settings.ts';
import type { TaskContext } from '../tasks/task-context.ts';
import { TaskStore } from '../tasks/task-store.ts';
import type { TodoVersion } from '../todo/todo-version.ts';
import type { Versions } from './head-names.ts';

/** A line that was run at the prompt, and the lists' versions after it. */
export interface PromptCommand extends Versions {
  /** Empty if it is not in the shell's history. */
  readonly line: string;
  readonly exitCode: number;
}

/** What guidance says after the last command, and after how many more it may speak again; -1: never. */
interface PromptGuidance {
  readonly said: readonly string[];
  readonly due: number;
}

/** The lists that the commands have changed. */
interface GuidedLists {
  readonly settings: Settings;
  readonly context: TaskContext;
  /** The todo list's newest version, and those that are kept, newest first. */
  readonly newest: TodoVersion;
  readonly kept: readonly TodoVersion[];
  readonly tasks: TaskStore;
}

/** No list goes longer without a reminder. */
const FARTHEST_LOOK = 250;
const AGENT_COMMAND = { has: (name: string) => /^(Todo(Read|Write)|Task[A-Z][a-z]+)$/.test(name) };

/** What guidance says at a prompt after the last of these commands. */
export async function promptGuidance(
  { settings, context, newest, kept, tasks }: GuidedLists,
  commands: readonly PromptCommand[],
): Promise<PromptGuidance> {
  const versions = new Map(kept.map((version) => [version.version, version]));
  const lastTaskChange = commands.findLastIndex(
    (command) => command.tasks !== commands.at(-1)?.tasks,
  );
  let index = 0;
  const noTasks = new TaskStore();
  const replay = new Replay({
    rules: [...LINE_RULES, ...TASK_RULES],
    settings: () => settings,
    // Only the last state of the tasks is kept.
    tasks: new FollowedTasks({
      ...context,
      open: () => (index > lastTaskChange ? tasks : noTasks),
    }),
  });
  let said: readonly string[] = [];
  let last: number | undefined;
  for (const { line, exitCode, todos } of commands) {
    const list = todos === undefined ? undefined : versions.get(todos);
    const past = { line, type: typeOf(line), exitCode, list };
    said = index < commands.length - 1 ? replay.past(past) : await replay.latest(past);
    last = list?.version ?? last;
    index++;
  }
  if (last !== newest.version) replay.found(newest);
  let due = -1;
  for (let more = 1; more <= FARTHEST_LOOK && due < 0; more++) {
    if (replay.past({ line: '', exitCode: 0 }).length > 0) due = more;
  }
  return { said, due };
}

function typeOf(line: string): CommandType {
  return literalWords(line, AGENT_COMMAND)
    ? CommandType.AGENT_SHELL_COMMAND
    : CommandType.NATIVE_SHELL_COMMAND;
}
