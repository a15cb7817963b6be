import { type CommandResult, done, failed } from '../command/agent-command.ts';
import { HELP_OPTIONS, type OptionTable } from '../command/options.ts';
import { inQuotes } from '../safe-text.ts';
import { HARNESS_NAMES } from '../setup/harnesses.ts';
import { SETUP_OPTIONS } from '../setup/setup.ts';
import { TASK_COMMANDS } from '../tasks/task-commands.ts';
import { READ_OPTIONS } from '../todo/todo-read.ts';
import { WRITE_OPTIONS } from '../todo/write-options.ts';
import { SESSIONS_OPTIONS } from '../watch/sessions.ts';
import { WATCH_OPTIONS } from '../watch/watch-arguments.ts';
import { SHELL_OPTIONS } from './arguments.ts';

/** A command, or `agent-shell WORD`, with its options and the words that may follow it. */
interface Completable {
  readonly command: string;
  readonly subcommand?: string;
  readonly options: OptionTable;
  readonly words?: readonly string[];
}

const SUBCOMMANDS = {
  watch: { options: WATCH_OPTIONS },
  sessions: { options: SESSIONS_OPTIONS },
  setup: { options: { ...SETUP_OPTIONS, ...HELP_OPTIONS }, words: HARNESS_NAMES },
  prime: { options: {} },
  state: { options: HELP_OPTIONS },
  completions: { options: HELP_OPTIONS, words: ['bash', 'zsh', 'fish'] },
} as const;

const ALL: readonly Completable[] = [
  { command: 'TodoWrite', options: WRITE_OPTIONS },
  { command: 'TodoRead', options: READ_OPTIONS },
  ...TASK_COMMANDS.map(({ name, options }) => ({ command: name, options })),
  ...Object.entries(SUBCOMMANDS).map(([subcommand, more]) => ({
    command: 'agent-shell',
    subcommand,
    ...more,
  })),
  // Last, because in a `case` it matches anything after the name.
  { command: 'agent-shell', options: SHELL_OPTIONS, words: Object.keys(SUBCOMMANDS) },
];
const COMMANDS = [...new Set(ALL.map(({ command }) => command))];

const SCRIPTS = new Map([
  ['bash', bashScript],
  ['zsh', zshScript],
  ['fish', fishScript],
]);

const USAGE = `Usage: agent-shell completions bash|zsh|fish
Prints completions of these commands for that shell. In its start-up file:
  bash   source <(agent-shell completions bash)
  zsh    source <(agent-shell completions zsh)      after compinit
  fish   agent-shell completions fish | source
`;

/** `agent-shell completions SHELL`. */
export function completions(argv: readonly string[]): CommandResult {
  const [shell, unexpected] = argv;
  if (shell === '-h' || shell === '--help') return done(USAGE);
  const script = SCRIPTS.get(shell ?? '');
  if (script && unexpected === undefined) return done(script());
  const problem =
    shell === undefined
      ? 'completions needs the name of a shell'
      : `completions takes bash, zsh or fish, received ${inQuotes(unexpected ?? shell)}`;
  return failed('wrongUsage', `agent-shell: ${problem}\n${USAGE}`);
}

/** The options, with the words that may follow each: none after a flag; undefined means anything. */
function optionsOf({
  options,
}: Completable): { name: string; values: readonly string[] | undefined }[] {
  const found: { name: string; values: readonly string[] | undefined }[] = [];
  for (const [name, kind] of Object.entries(options)) {
    if (kind === 'flag') found.push({ name, values: [] });
    else if (typeof kind === 'string' || 'fits' in kind) found.push({ name, values: undefined });
    else found.push({ name, values: kind });
  }
  return found;
}

const nameOf = ({ command, subcommand }: Completable) =>
  subcommand === undefined ? command : `${command} ${subcommand}`;

/** The lines of a `case` over "COMMAND [SUBCOMMAND]" and the option before, for bash and zsh alike. */
function caseLines(): string {
  const lines = ALL.flatMap((of) => [
    ...optionsOf(of)
      .filter(({ values }) => values === undefined || values.length > 0)
      .map(
        ({ name, values = [] }) => `    '${nameOf(of)} '${name}) offered='${values.join(' ')}' ;;`,
      ),
    `    '${nameOf(of)} '*) offered='${[...(of.words ?? []), ...optionsOf(of).map(({ name }) => name)].join(' ')}' ;;`,
  ]);
  return lines.join('\n');
}

function subcommandPattern(): string {
  return Object.keys(SUBCOMMANDS).join('|');
}

function bashScript(): string {
  return `# Completes our commands in bash: source <(agent-shell completions bash)
_todowrite() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command=\${1##*/} word offered=
  # Bash takes the = of --format=md for a word.
  [[ $current == '=' ]] && current=
  [[ $before == '=' ]] && before=\${COMP_WORDS[COMP_CWORD-2]}
  if [[ $command == agent-shell ]]; then
    for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
      case $word in ${subcommandPattern()}) command="agent-shell $word" && break ;; esac
    done
  fi
  case "$command $before" in
${caseLines()}
  esac
  COMPREPLY=($(compgen -W "$offered" -- "$current"))
}
complete -o bashdefault -o default -F _todowrite ${COMMANDS.join(' ')}
`;
}

function zshScript(): string {
  return `#compdef ${COMMANDS.join(' ')}
# Completes our commands in zsh: source <(agent-shell completions zsh)
_todowrite() {
  local before=\${words[CURRENT-1]} command=\${service:-\${words[1]:t}} word
  local -a given=("\${words[@]:1:$((CURRENT - 2))}")
  if [[ $command == agent-shell ]]; then
    for word in $given; do
      case $word in (${subcommandPattern()}) command="agent-shell $word"; break ;; esac
    done
  fi
  if [[ $PREFIX == --*=* ]]; then
    before=\${PREFIX%%=*}
    compset -P '*='
  fi
  local offered=
  case "$command $before" in
${caseLines()}
  esac
  if [[ -n $offered ]]; then compadd -- \${(s: :)offered}; else _files; fi
}
(( $+functions[compdef] )) && compdef _todowrite ${COMMANDS.join(' ')}
`;
}

function fishScript(): string {
  const lines = ALL.flatMap((of) => {
    const isShell = of.command === 'agent-shell';
    const subcommands = Object.keys(SUBCOMMANDS).join(' ');
    const when = of.subcommand
      ? ` -n '__fish_seen_subcommand_from ${of.subcommand}'`
      : isShell
        ? ` -n 'not __fish_seen_subcommand_from ${subcommands}'`
        : '';
    const start = `complete -c ${of.command}${when}`;
    return [
      ...(of.words ? [`${start} -a '${of.words.join(' ')}'`] : []),
      ...optionsOf(of).map(({ name, values }) => {
        const option = name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`;
        if (values === undefined) return `${start} ${option} -x`;
        return values.length > 0
          ? `${start} ${option} -x -a '${values.join(' ')}'`
          : `${start} ${option}`;
      }),
    ];
  });
  return `# Completes our commands in fish: agent-shell completions fish | source\n${lines.join('\n')}\n`;
}
