import { HELP_OPTIONS, parseOptions } from '../base/command/options.ts';
import { inQuotes } from '../base/safe-text.ts';
import { LIST_OPTIONS } from '../todo/todo-source.ts';

export type WatchArguments = Exclude<
  ReturnType<typeof parseWatchArguments>,
  { readonly problem: string }
>;

export const PANEL_MODES = ['auto', 'off', 'plain'] as const;
export type PanelSetting = (typeof PANEL_MODES)[number];
export const WATCH_OPTIONS = {
  '--all': 'flag',
  '--jsonl': 'flag',
  '--tasks': 'flag',
  '--list': 'name',
  '--web': 'flag',
  '--port': 'name',
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
  if (rest[0] !== undefined) return { problem: `watch takes no argument ${inQuotes(rest[0])}` };
  if (all && agent !== undefined) return { problem: '--all and --agent cannot be combined' };
  if (tasks && (all || agent !== undefined)) {
    return { problem: '--tasks shows the tasks of all agents; it excludes --all and --agent' };
  }
  if (taskList !== undefined && !tasks) return { problem: '--list needs --tasks' };
  if (web && (jsonl || all || tasks || agent !== undefined)) {
    return {
      problem: '--web shows a whole session; it excludes --all, --agent, --tasks and --jsonl',
    };
  }
  if (portText !== undefined && !web) return { problem: '--port needs --web' };
  const port = portText === undefined ? undefined : Number(portText);
  if (port !== undefined && !(/^\d{1,5}$/.test(portText ?? '') && port <= 65_535)) {
    return { problem: `--port takes a number up to 65535, received ${inQuotes(portText ?? '')}` };
  }
  const plain = panel === 'plain' || panel === 'off';
  const list = { session, agent };
  return { list, all, tasks, taskList, jsonl, plain, web, port, bell, help };
}
