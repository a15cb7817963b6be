import type { PanelMode } from '../panel/task-panel.ts';

/** What the command line of agent-shell asks for. */
export type Arguments =
  | { mode: 'interactive'; panel: PanelMode }
  /** One line, and what bash takes as $0, $1, ... */
  | { mode: 'line'; line: string; parameters: readonly string[]; panel: PanelMode }
  /** A file, and its $1, ... */
  | { mode: 'script'; argv: readonly string[]; panel: PanelMode }
  | { mode: 'jsonl' | 'help' | 'version' }
  /** Not understood; one line that says why. */
  | { mode: 'usage-error'; message: string };

const PANEL_MODES: readonly PanelMode[] = ['auto', 'always', 'never', 'plain'];

/** Reads the arguments of agent-shell. Options end at the first argument that is none, as bash's do. */
export function parseArguments(argv: readonly string[]): Arguments {
  let panel: PanelMode = 'auto';
  let jsonl = false;
  for (const [index, argument] of argv.entries()) {
    const rest = argv.slice(index + 1);
    switch (argument) {
      case '-h':
      case '--help':
        return { mode: 'help' };
      case '--version':
        return { mode: 'version' };
      case '--no-panel':
        panel = 'never';
        break;
      case '--jsonl':
        jsonl = true;
        break;
      case '-c': {
        const [line, ...parameters] = rest;
        if (jsonl) return usageError('--jsonl and -c exclude each other');
        if (line === undefined) return usageError('-c needs a command line');
        return { mode: 'line', line, parameters, panel };
      }
      default: {
        if (argument.startsWith('--panel=')) {
          const mode = PANEL_MODES.find((known) => argument === `--panel=${known}`);
          if (mode === undefined)
            return usageError(`--panel takes one of ${PANEL_MODES.join(', ')}`);
          panel = mode;
          break;
        }
        const isOption = argument.startsWith('-') && argument !== '-';
        if (isOption && argument !== '--') return usageError(`unknown option: ${argument}`);
        const script = isOption || argument === '-' ? rest : [argument, ...rest];
        if (jsonl && script.length > 0) return usageError('--jsonl takes no script');
        if (script.length > 0) return { mode: 'script', argv: script, panel };
        return jsonl ? { mode: 'jsonl' } : { mode: 'interactive', panel };
      }
    }
  }
  return jsonl ? { mode: 'jsonl' } : { mode: 'interactive', panel };
}

function usageError(message: string): Arguments {
  return { mode: 'usage-error', message };
}
