import type { ListName } from '../state/lists.ts';
import { parseOptions } from '../todo/options.ts';
import { LIST_OPTIONS } from '../todo/todo-source.ts';

/** What `agent-shell watch` is asked for. */
export interface WatchArguments {
  readonly list: Partial<ListName>;
  /** Every agent of the session, not one. */
  readonly all: boolean;
  /** JSON lines in the place of a panel. */
  readonly jsonl: boolean;
}

const OPTIONS = { '--all': 'flag', '--jsonl': 'flag', ...LIST_OPTIONS } as const;

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
  } = options;
  if (rest[0] !== undefined) return { problem: `watch takes no argument ${rest[0]}` };
  if (all && agent !== undefined) return { problem: '--all and --agent exclude each other' };
  const list = { ...(session !== undefined && { session }), ...(agent !== undefined && { agent }) };
  return { list, all, jsonl };
}
