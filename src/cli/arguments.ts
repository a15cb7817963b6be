import { HELP_OPTIONS, type Options, parseOptions } from '../base/command/options.ts';
import { seeHelp } from '../base/command/replies.ts';
import type { Environment } from '../base/environment.ts';
import { inQuotes, safeText } from '../base/safe-text.ts';
import type { ListName } from '../lists/list-paths.ts';
import {
  PANEL_MODES,
  parseWatchArguments,
  type WatchArguments,
} from '../viewer/watch-arguments.ts';

const MAX_MESSAGE = 200;

export type Arguments =
  | { mode: 'jsonl'; list: Partial<ListName> }
  | ({ mode: 'watch' } & WatchArguments)
  | { mode: 'sessions' | 'setup' | 'state' | 'completions'; argv: readonly string[] }
  | { mode: 'help'; of?: 'prime' }
  | { mode: 'version' | 'prime' }
  | { mode: 'prompt'; tasks: boolean }
  | { mode: 'bash' }
  | { mode: 'usage-error'; text: string };

export const SHELL_OPTIONS = {
  '--session': 'name',
  '--agent': 'name',
  '--panel': PANEL_MODES,
  '--no-panel': 'flag',
  '--jsonl': 'flag',
  '--prompt': 'flag',
  '--tasks': 'flag',
  ...HELP_OPTIONS,
} as const;
type ShellOptions = Options<typeof SHELL_OPTIONS>;

/**
 * Parses agent-shell's own arguments. Those for bash, and our options before them, are handled by agent-shell.sh before
 * Node starts.
 *
 * @param environment for the defaults TODO_SESSION and TODO_PANEL.
 */
export function parseArguments(argv: readonly string[], environment: Environment): Arguments {
  const parsed = parseOptions(argv, SHELL_OPTIONS, 'first word');
  if ('problem' in parsed) return usageError(parsed.problem);
  const { options, rest } = parsed;
  const [word, ...behind] = rest;
  // 1. Help and the version, of agent-shell or of a subcommand.
  if (word === 'help') {
    const page = parseArguments([...behind, '--help'], environment);
    return page.mode === 'bash'
      ? usageError(`no help page for ${inQuotes(behind.join(' '))}`)
      : page;
  }
  if (options['-h'] || options['--help']) return { mode: 'help' };
  if (options['--version'] || behind.includes('--version')) return { mode: 'version' };
  // 2. A subcommand.
  const { '--session': session = environment.TODO_SESSION, '--agent': agent } = options;
  const list = { session, agent };
  switch (word) {
    case 'sessions':
    case 'setup':
    case 'state':
    case 'completions':
      return { mode: word, argv: behind };
    case 'prime':
      return primeArguments(behind);
    case 'watch':
      return watchArguments(behind, options, list, environment);
  }
  // 3. A shell.
  return shellArguments(word, options, list);
}

function primeArguments([unknown]: readonly string[]): Arguments {
  if (unknown === '-h' || unknown === '--help') return { mode: 'help', of: 'prime' };
  if (unknown === undefined) return { mode: 'prime' };
  return usageError(`prime takes no argument ${inQuotes(unknown)}`, 'prime');
}

function watchArguments(
  argv: readonly string[],
  options: ShellOptions,
  list: Partial<ListName>,
  { TODO_PANEL }: Environment,
): Arguments {
  // TODO_PANEL=off keeps prompts clean; it does not apply to the viewer.
  const wished = TODO_PANEL === 'plain' ? TODO_PANEL : undefined;
  const panel = options['--no-panel'] ? 'off' : (options['--panel'] ?? wished);
  const watch = parseWatchArguments(argv, panel);
  if ('problem' in watch) return usageError(watch.problem, 'watch');
  return { mode: 'watch', ...watch, list: { ...list, ...watch.list } };
}

function shellArguments(
  word: string | undefined,
  { '--jsonl': jsonl, '--prompt': prompt, '--tasks': tasks }: ShellOptions,
  list: Partial<ListName>,
): Arguments {
  if (jsonl && prompt) return usageError('--jsonl and --prompt cannot be combined');
  if (tasks && !prompt) return usageError('--tasks needs --prompt or watch');
  if (!jsonl && !prompt) return { mode: 'bash' };
  if (word !== undefined) {
    return usageError(`${jsonl ? '--jsonl' : '--prompt'} takes no argument ${inQuotes(word)}`);
  }
  if (prompt) return { mode: 'prompt', tasks: tasks === true };
  if (list.agent !== undefined && !list.session) {
    return usageError('--agent needs --session: without one the list is in memory');
  }
  return { mode: 'jsonl', list };
}

function usageError(message: string, of?: 'prime' | 'watch'): Arguments {
  const page = of === undefined ? 'agent-shell' : `agent-shell ${of}`;
  return { mode: 'usage-error', text: seeHelp(safeText(message, MAX_MESSAGE), `${page} --help`) };
}
