import { parseOptions } from '../command/options.ts';
import type { ListName } from '../state/lists.ts';
import { LIST_OPTIONS } from '../todo/todo-source.ts';

/** What `agent-shell watch` is asked for. */
export interface WatchArguments {
  readonly list: Partial<ListName>;
  /** Every agent of the session, not one. */
  readonly all: boolean;
  /** The team's tasks, not the lists of todos; of the list of that name where there is one. */
  readonly tasks: boolean;
  readonly taskList: string | undefined;
  /** JSON lines in the place of a panel. */
  readonly jsonl: boolean;
}

const OPTIONS = {
  '--all': 'flag',
  '--jsonl': 'flag',
  '--tasks': 'flag',
  '--list': 'text',
  ...LIST_OPTIONS,
} as const;

/** Reads the arguments after `watch`, or tells what is wrong with them. */
export function parseWatchArguments(argv: readonly string[]): WatchArguments | { problem: string } {
  const parsed = parseOptions(argv, OPTIONS);
  if ('problem' in parsed) return parsed;
  const { options, rest } = parsed;
  const {
    '--session': session,
    '--agent': agent,
    '--all': all = false,
    '--jsonl': jsonl = false,
    '--tasks': tasks = false,
    '--list': taskList,
  } = options;
  if (rest[0] !== undefined) return { problem: `watch takes no argument ${rest[0]}` };
  if (all && agent !== undefined) return { problem: '--all and --agent exclude each other' };
  if (tasks && (all || agent !== undefined)) {
    return { problem: '--tasks shows the tasks of all agents: it goes without --all and --agent' };
  }
  if (taskList !== undefined && !tasks) return { problem: '--list goes with --tasks' };
  const list = { ...(session !== undefined && { session }), ...(agent !== undefined && { agent }) };
  return { list, all, tasks, taskList, jsonl };
}
