import { type CommandResult, done, failed } from '../base/command/agent-command.ts';
import { HELP_OPTIONS, type OptionTable } from '../base/command/options.ts';
import { inQuotes } from '../base/safe-text.ts';
import { HARNESS_NAMES } from '../harness/setup/harnesses.ts';
import { SETUP_OPTIONS } from '../harness/setup/setup.ts';
import { TASK_FORMS } from '../tasks/task-commands.ts';
import { optionsOf } from '../tasks/task-form.ts';
import { PROVE_OPTIONS } from '../todo/todo-prove.ts';
import { READ_OPTIONS } from '../todo/todo-read.ts';
import { WRITE_OPTIONS } from '../todo/write-options.ts';
import { SESSIONS_OPTIONS } from '../viewer/sessions.ts';
import { WATCH_OPTIONS } from '../viewer/watch-arguments.ts';
import { SHELL_OPTIONS } from './arguments.ts';

interface Completable {
  readonly command: string;
  readonly subcommand: string | undefined;
  readonly words: readonly string[];
  /** With the possible values of each: none for a flag, undefined for any. */
  readonly options: readonly (readonly [name: string, values: readonly string[] | undefined])[];
}

function completable(
  command: string,
  options: OptionTable,
  words: readonly string[] = [],
  subcommand?: string,
): Completable {
  const valuesOf = (kind: OptionTable[string]) => {
    if (kind === 'flag') return [];
    return typeof kind === 'string' || 'from' in kind ? undefined : kind;
  };
  const pairs = Object.entries(options).map(([name, kind]) => [name, valuesOf(kind)] as const);
  return { command, subcommand, words, options: pairs };
}

const ITEMS = "TodoRead 2>/dev/null | grep '^\\[' | grep -vn '^\\[x\\]' | cut -d: -f1";
const IDS = "2>/dev/null | sed -n 's/^#\\([0-9]*\\).*/\\1/p'";
/** Shell commands that print what may stand after a word: names of sessions, places of open items, ids of tasks. */
const LIVE: Readonly<Record<string, string>> = {
  '--session': `agent-shell sessions --json 2>/dev/null | grep -o '"session":"[^"\\]*"' | cut -d '"' -f 4`,
  ...{ '--done': ITEMS, '--start': ITEMS, '--pending': ITEMS, '--drop': ITEMS },
  TodoProve: ITEMS,
  TaskClaim: `TaskList --ready ${IDS}`,
  TaskProve: `TaskList --status in_progress ${IDS}`,
};

const SUBCOMMANDS: Readonly<Record<string, { options: OptionTable; words?: readonly string[] }>> = {
  watch: { options: WATCH_OPTIONS },
  sessions: { options: SESSIONS_OPTIONS },
  setup: { options: SETUP_OPTIONS, words: HARNESS_NAMES },
  prime: { options: {} },
  state: { options: HELP_OPTIONS },
  completions: { options: HELP_OPTIONS, words: ['bash', 'zsh', 'fish'] },
};
const FIRST_WORDS = ['help', ...Object.keys(SUBCOMMANDS)];

const ALL: readonly Completable[] = [
  completable('TodoWrite', WRITE_OPTIONS),
  completable('TodoRead', READ_OPTIONS),
  completable('TodoProve', PROVE_OPTIONS),
  ...TASK_FORMS.map((form) => completable(form.name, optionsOf(form))),
  ...Object.entries(SUBCOMMANDS).map(([word, { options, words }]) =>
    completable('agent-shell', options, words, word),
  ),
  completable('agent-shell', {}, Object.keys(SUBCOMMANDS), 'help'),
  // Last, because in a `case` it matches anything after the name.
  completable('agent-shell', SHELL_OPTIONS, FIRST_WORDS),
];
const COMPLETED_COMMANDS = [...new Set(ALL.map(({ command }) => command))];

const SCRIPTS = new Map([
  ['bash', bashScript],
  ['zsh', zshScript],
  ['fish', fishScript],
]);

const COMPLETIONS_USAGE = `Usage: agent-shell completions bash|zsh|fish
Prints completions of these commands for that shell. In its start-up file:
  bash   source <(agent-shell completions bash)
  zsh    source <(agent-shell completions zsh)      after compinit
  fish   agent-shell completions fish | source
`;

export function completions(argv: readonly string[]): CommandResult {
  const [shell, unexpected] = argv;
  if (shell === '-h' || shell === '--help') return done(COMPLETIONS_USAGE);
  const script = SCRIPTS.get(shell ?? '');
  if (script && unexpected === undefined) return done(script());
  const problem =
    shell === undefined
      ? 'completions needs the name of a shell'
      : `completions takes bash, zsh or fish, received ${inQuotes(unexpected ?? shell)}`;
  return failed('wrongUsage', `agent-shell: ${problem}\n${COMPLETIONS_USAGE}`);
}

/** The branches of a `case` over "COMMAND [SUBCOMMAND] PREVIOUS-WORD", for bash and zsh. */
function caseLines(): string {
  const lines = ALL.flatMap(({ command, subcommand, words, options }) => {
    const offer = (before: string, offered: readonly string[]) => {
      const live = LIVE[before === '*' ? command : before];
      const words = `offered='${offered.join(' ')}'${live ? ` live=$(${live})` : ''}`;
      return `    '${[command, subcommand].filter(Boolean).join(' ')} '${before}) ${words} ;;`;
    };
    return [
      ...options.flatMap(([name, values = ['']]) => (values.length > 0 ? offer(name, values) : [])),
      offer('*', [...words, ...options.map(([name]) => name)]),
    ];
  });
  return lines.join('\n');
}

function bashScript(): string {
  return `# Completes our commands in bash: source <(agent-shell completions bash)
_todowrite() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command=\${1##*/} word offered= live=
  # Bash takes the = of --format=md for a word.
  [[ $current == '=' ]] && current=
  [[ $before == '=' ]] && before=\${COMP_WORDS[COMP_CWORD-2]}
  if [[ $command == agent-shell ]]; then
    for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
      case $word in ${FIRST_WORDS.join('|')}) command="agent-shell $word" && break ;; esac
    done
  fi
  case "$command $before" in
${caseLines()}
  esac
  COMPREPLY=($(compgen -W "$offered" -- "$current"))
  # Not by compgen: it would run the $(...) in a name.
  while IFS= read -r word; do
    [[ -n $word ]] && printf -v word %q "$word" && [[ $word == "$current"* ]] && COMPREPLY+=("$word")
  done <<< "$live"
}
complete -o bashdefault -o default -F _todowrite ${COMPLETED_COMMANDS.join(' ')}
`;
}

function zshScript(): string {
  return `#compdef ${COMPLETED_COMMANDS.join(' ')}
# Completes our commands in zsh: source <(agent-shell completions zsh)
_todowrite() {
  local before=\${words[CURRENT-1]} command=\${service:-\${words[1]:t}} word
  local -a given=("\${words[@]:1:$((CURRENT - 2))}")
  if [[ $command == agent-shell ]]; then
    for word in $given; do
      case $word in (${FIRST_WORDS.join('|')}) command="agent-shell $word"; break ;; esac
    done
  fi
  if [[ $PREFIX == --*=* ]]; then
    before=\${PREFIX%%=*}
    compset -P '*='
  fi
  local offered= live=
  case "$command $before" in
${caseLines()}
  esac
  if [[ -n $offered$live ]]; then compadd -- \${=offered} \${(f)live}; else _files; fi
}
(( $+functions[compdef] )) && compdef _todowrite ${COMPLETED_COMMANDS.join(' ')}
`;
}

/** The output of a command, in fish. */
function inFish(command: string): string {
  return `'(${command.replace(/[\\']/g, '\\$&')})'`;
}

function fishScript(): string {
  const lines = ALL.flatMap(({ command, subcommand, words, options }) => {
    const isShell = command === 'agent-shell';
    const seen = `__fish_seen_subcommand_from ${subcommand ?? FIRST_WORDS.join(' ')}`;
    const when = isShell ? ` -n '${subcommand ? '' : 'not '}${seen}'` : '';
    const start = `complete -c ${command}${when}`;
    return [
      ...(words.length > 0 ? [`${start} -a '${words.join(' ')}'`] : []),
      ...(LIVE[command] ? [`${start} -x -a ${inFish(LIVE[command])}`] : []),
      ...options.map(([name, values]) => {
        const option = name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`;
        const live = LIVE[name] ? ` -a ${inFish(LIVE[name])}` : '';
        if (values === undefined) return `${start} ${option} -x${live}`;
        return `${start} ${option}${values.length > 0 ? ` -x -a '${values.join(' ')}'` : ''}`;
      }),
    ];
  });
  return `# Completes our commands in fish: agent-shell completions fish | source\n${lines.join('\n')}\n`;
}
