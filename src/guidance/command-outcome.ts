import { type SimpleCommand, simpleCommands } from '../proof/simple-commands.ts';
import {
  CHECKS_NOTHING,
  COMMAND_KINDS,
  type CommandKind,
  RUNS_ANYTHING,
  TELLS_OF_ITSELF,
} from './command-kinds.ts';
import type { RoutedCommand } from './rule.ts';
import { MAX_LINE_LENGTH } from './work-history.ts';

/** What a line says of one kind of command. `unknown`: one may have run, with an exit code that cannot be told. */
export type Outcome = 'passed' | 'failed' | 'unknown';

const KINDS = Object.keys(COMMAND_KINDS) as CommandKind[];
const MAX_COMMAND_LENGTH = 500;
/** A longer line that cannot be read may run anything. */
const MAX_UNREAD_LENGTH = 4000;
/** A failure of these is so rare that the exit code is taken for that of the command that they prepare. */
const PREPARES = /^(?:cd|pushd|export|set|source|\.|mkdir|:|true)(?: |$)/;
/** Words that run the rest of the command, with the options that they take. */
const WRAPPER =
  /^(?:\w+=\S* |(?:sudo|nice|time|nohup|command|exec|stdbuf|xvfb-run|env|npx|bunx|uvx)(?: -\S+)* |timeout(?: -[ks] \S+| -\S+)* [\d.]+[smhd]? |(?:(?:pnpm|yarn|npm|bundle|hatch) (?:exec|dlx|x)|(?:poetry|pipenv|uv|hatch|rye|pdm) run)(?: --)? |python3?(?:\.\d+)? -m )/;
/** Options of a runner before its subcommand. */
const RUNNER_OPTIONS =
  /^(npm|pnpm|yarn|bun|make|just|mvnw?|gradlew?|cargo|go|dotnet)(?: (?:--?(?:prefix|C|w|workspace|filter|F|f|cwd|dir|directory|manifest-path|p|file) [^\s-]\S*|(?!--test|--build)-[^\s]+))+(?= )/;

/** Each item of a list asks again what the same lines say; to read a line takes long. */
const known = new WeakMap<RoutedCommand, Map<CommandKind, Outcome | undefined>>();
const parsed = new WeakMap<RoutedCommand, { commands: SimpleCommand[] | undefined }>();

/** What one line, by its exit code, says of the commands of a kind. Undefined if it has certainly run none. */
export function outcomeOf(command: RoutedCommand, kind: CommandKind): Outcome | undefined {
  const outcomes = known.get(command) ?? new Map<CommandKind, Outcome | undefined>();
  if (!outcomes.has(kind)) {
    known.set(command, outcomes);
    outcomes.set(kind, readOutcome(command, kind));
  }
  return outcomes.get(kind);
}

function commandsOf(command: RoutedCommand): SimpleCommand[] | undefined {
  let reading = parsed.get(command);
  if (reading === undefined) {
    const isTooLong = command.line.length > MAX_LINE_LENGTH;
    reading = { commands: isTooLong ? undefined : simpleCommands(command.line) };
    parsed.set(command, reading);
  }
  return reading.commands;
}

function readOutcome(command: RoutedCommand, kind: CommandKind): Outcome | undefined {
  const { line, type } = command;
  if (type === 'agent_shell_command') {
    const name = line.match(/[\w-]+/)?.[0] ?? '';
    return name.startsWith('Todo') || !COMMAND_KINDS[kind].mention.test(name)
      ? undefined
      : 'unknown';
  }
  const commands = commandsOf(command);
  if (!commands) return mayRun(line, kind) ? 'unknown' : undefined;
  const readings = commands.map((simple) => readCommand(simple, kind));
  const last = readings.findLastIndex((reading) => reading !== 'no');
  if (last < 0) return undefined;
  const outcomes = readings.map((reading, index) =>
    reading === 'yes' ? outcomeAt(commands, index, command.exitCode) : 'unknown',
  );
  return outcomes.includes('passed') ? 'passed' : outcomes[last];
}

/** Whether the exit code of the whole line is that of the command at `index`, and what it then says. */
function outcomeAt(
  commands: readonly SimpleCommand[],
  index: number,
  exitCode: number | undefined,
): Outcome {
  const lastBreak = commands.findLastIndex(({ before }) => before === ';' || before === '&');
  const chain = commands.slice(Math.max(0, lastBreak));
  const position = index - (commands.length - chain.length);
  const own = chain[position];
  const isHidden = own === undefined || own.before === '|' || own.after === '|';
  const branches = chain.some(({ before, after }) => before === '||' || after === '&');
  if (exitCode === undefined || isHidden || branches) return 'unknown';
  if (exitCode === 0) return 'passed';
  const isOnlyOne =
    position === chain.length - 1 &&
    chain.slice(0, -1).every(({ words }) => PREPARES.test(words.join(' ')));
  return isOnlyOne ? 'failed' : 'unknown';
}

function readCommand({ words }: SimpleCommand, kind: CommandKind): 'yes' | 'maybe' | 'no' {
  const { commands, mention, idle } = COMMAND_KINDS[kind];
  const text = withoutWrappers(words.join(' ').slice(0, MAX_COMMAND_LENGTH));
  const isIdle = TELLS_OF_ITSELF.test(text) || idle?.test(text);
  const byName = text.replace(/^\S*\//, '').replace(RUNNER_OPTIONS, '$1');
  if (commands.test(byName)) return isIdle ? 'maybe' : 'yes';
  const others = KINDS.filter((other) => COMMAND_KINDS[other].commands.test(byName));
  const isChecker = others.includes('lint') || others.includes('type check');
  if (CHECKS_NOTHING.test(text) || (kind === 'test' && isChecker)) return 'no';
  const runsAnything = others.length === 0 && RUNS_ANYTHING.test(text);
  return runsAnything || mention.test(text) ? 'maybe' : 'no';
}

function withoutWrappers(text: string): string {
  const rest = text.replace(WRAPPER, '');
  return rest === text ? text : withoutWrappers(rest);
}

/** Of a line that cannot be read. */
function mayRun(line: string, kind: CommandKind): boolean {
  return (
    line.length > MAX_UNREAD_LENGTH ||
    COMMAND_KINDS[kind].mention.test(line) ||
    /(?:^|[\s;&|(`])(?:(?:ba|z)?sh|source|eval|xargs|docker|ssh|\$\w+|\.{0,2}\/\S+)(?=\s|$)/.test(
      line,
    )
  );
}
