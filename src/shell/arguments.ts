import type { PanelMode } from '../panel/task-panel.ts';
import type { ListName } from '../state/lists.ts';
import { parseWatchArguments, type WatchArguments } from '../watch/watch-arguments.ts';

/** What the command line of agent-shell asks for. */
export type Arguments =
  | ({ mode: 'interactive' } & Shell)
  /** One line, and what bash takes as $0, $1, ... */
  | ({ mode: 'line'; line: string; parameters: readonly string[] } & Shell)
  /** A file, and its $1, ... */
  | ({ mode: 'script'; argv: readonly string[] } & Shell)
  | { mode: 'jsonl'; list: Partial<ListName> }
  | ({ mode: 'watch' } & WatchArguments)
  /** With the arguments that follow its name. */
  | { mode: 'sessions' | 'setup'; argv: readonly string[] }
  | { mode: 'help' | 'version' | 'hook' | 'prime' }
  /** Whether the text covers the commands on a team's tasks. */
  | { mode: 'prompt'; tasks: boolean }
  /** Not understood; one line that says why. */
  | { mode: 'usage-error'; message: string };

interface Shell {
  panel: PanelMode;
  /** The list in files that it keeps; the one in memory where no session is named. */
  list: Partial<ListName>;
}

const PANEL_MODES: readonly PanelMode[] = ['auto', 'always', 'never', 'plain'];

/** Reads the arguments of agent-shell. Options end at the first argument that is none, as bash's do. */
export function parseArguments(argv: readonly string[]): Arguments {
  const list: { session?: string; agent?: string } = {};
  let panel: PanelMode = 'auto';
  let jsonl = false;
  const bashOrScript = (script: readonly string[]): Arguments => {
    if (jsonl && script.length > 0) return usageError('--jsonl takes no script');
    const wrong = needsSession(list);
    if (wrong) return wrong;
    if (script.length > 0) return { mode: 'script', argv: script, panel, list };
    return jsonl ? { mode: 'jsonl', list } : { mode: 'interactive', panel, list };
  };
  for (let index = 0; index < argv.length; index++) {
    const argument = argv[index] ?? '';
    const [, name = argument, inline] = /^(--(?:panel|session|agent))=(.*)$/s.exec(argument) ?? [];
    switch (name) {
      case '-h':
      case '--help':
        return { mode: 'help' };
      case '--version':
        return { mode: 'version' };
      case '--prompt':
        return { mode: 'prompt', tasks: argv.includes('--tasks') };
      case '--tasks':
        if (argv.includes('--prompt')) break;
        return usageError('--tasks goes with --prompt, or follows watch');
      case '--no-panel':
        panel = 'never';
        break;
      case '--panel': {
        const mode = PANEL_MODES.find((known) => known === inline);
        if (mode === undefined) return usageError(`--panel takes one of ${PANEL_MODES.join(', ')}`);
        panel = mode;
        break;
      }
      case '--session':
      case '--agent': {
        const value = inline ?? argv[++index];
        if (!value) return usageError(`${name} needs a name`);
        list[name === '--session' ? 'session' : 'agent'] = value;
        break;
      }
      case '--jsonl':
        jsonl = true;
        break;
      case '-c': {
        const [line, ...parameters] = argv.slice(index + 1);
        if (jsonl) return usageError('--jsonl and -c exclude each other');
        if (line === undefined) return usageError('-c needs a command line');
        return needsSession(list) ?? { mode: 'line', line, parameters, panel, list };
      }
      case 'sessions':
      case 'setup':
        return { mode: name, argv: argv.slice(index + 1) };
      case 'hook':
      case 'prime':
        return { mode: name };
      case 'watch': {
        if (argv.slice(index + 1).includes('--version')) return { mode: 'version' };
        const watch = parseWatchArguments(argv.slice(index + 1), panel);
        if ('problem' in watch) return usageError(watch.problem);
        return { mode: 'watch', ...watch, list: { ...list, ...watch.list } };
      }
      default: {
        const isOption = argument.startsWith('-') && argument !== '-';
        if (isOption && argument !== '--') return usageError(`unknown option: ${argument}`);
        return bashOrScript(argv.slice(isOption || argument === '-' ? index + 1 : index));
      }
    }
  }
  return bashOrScript([]);
}

/** A list in memory is this shell's own; there is no other agent in it. */
function needsSession({ session, agent }: Partial<ListName>): Arguments | undefined {
  if (agent === undefined || session !== undefined) return undefined;
  return usageError('--agent needs --session: without one the list is in memory');
}

function usageError(message: string): Arguments {
  return { mode: 'usage-error', message };
}
