import { HELP_OPTIONS, type Options, parseOptions } from '../base/command/options.ts';
import { inQuotes } from '../base/safe-text.ts';
import { LIST_OPTIONS } from '../todo/todo-source.ts';

export type WatchArguments = Exclude<
  ReturnType<typeof parseWatchArguments>,
  { readonly problem: string }
>;

export const PANEL_MODES = ['auto', 'off', 'plain'] as const;
export type PanelSetting = (typeof PANEL_MODES)[number];
const OF_WEB = ['--session', '--list', '--port'];
export const WATCH_OPTIONS = {
  '--all': 'flag',
  '--jsonl': 'flag',
  '--tasks': 'flag',
  '--list': 'name',
  '--web': 'flag',
  '--port': {
    needs: 'a number up to 65535',
    from: (text: string) => (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) || undefined,
  },
  '--bell': 'flag',
  '--panel': PANEL_MODES,
  '--no-panel': 'flag',
  ...LIST_OPTIONS,
  ...HELP_OPTIONS,
} as const;

/** @param panelBefore the value of `--panel` before `watch`. */
export function parseWatchArguments(argv: readonly string[], panelBefore: PanelSetting = 'auto') {
  const parsed = parseOptions(argv, WATCH_OPTIONS);
  if ('problem' in parsed) return parsed;
  const { options, rest } = parsed;
  const problem = problemOf(options, rest);
  if (problem !== undefined) return { problem };
  const {
    '--session': session,
    '--agent': agent,
    '--all': all = false,
    '--jsonl': jsonl = false,
    '--tasks': tasks = false,
    '--list': taskList,
    '--web': web = false,
    '--port': portText,
    '--bell': bell = false,
    '--no-panel': noPanel = false,
    '--panel': panel = noPanel ? 'off' : panelBefore,
  } = options;
  const help = Boolean(options['-h'] || options['--help']);
  const port = portText === undefined ? undefined : Number(portText);
  const plain = panel === 'plain' || panel === 'off';
  const list = { session, agent };
  return { list, all, tasks, taskList, jsonl, plain, web, port, bell, help };
}

/** What is wrong with the words together. */
function problemOf(
  options: Options<typeof WATCH_OPTIONS>,
  [unexpected]: readonly string[],
): string | undefined {
  const { '--all': all, '--tasks': tasks, '--web': web } = options;
  const isOfAgent = options['--agent'] !== undefined;
  if (unexpected !== undefined) return `watch takes no argument ${inQuotes(unexpected)}`;
  if (all && isOfAgent) return '--all and --agent cannot be combined';
  if (tasks && (all || isOfAgent))
    return '--tasks shows the tasks of all agents; it excludes --all and --agent';
  if (options['--list'] !== undefined && !tasks && !web) return '--list needs --tasks or --web';
  const forWeb = ['--web', ...OF_WEB, ...Object.keys(HELP_OPTIONS)];
  const other = web && Object.keys(options).find((name) => !forWeb.includes(name));
  if (other) return `--web takes ${OF_WEB.join(', ')} only, not ${other}`;
  if (options['--port'] !== undefined && !web) return '--port needs --web';
  return undefined;
}
