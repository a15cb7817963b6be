import { beginsJson, nearest } from '../command/options.ts';
import { inQuotes, safeText } from '../safe-text.ts';

/** What other programs call the things that TodoWrite and TodoRead do, and how it is said here. */
const SUBCOMMANDS: Readonly<Record<string, string>> = {
  help: 'TodoWrite --help',
  version: 'TodoWrite --version',
  read: 'TodoRead',
  list: 'TodoRead',
  show: 'TodoRead',
  get: 'TodoRead',
  status: 'TodoRead',
  history: 'TodoRead --history',
  undo: 'TodoWrite --undo',
  add: 'TodoWrite --add "..." --active-form "..."',
  create: 'TodoWrite --add "..." --active-form "..."',
  start: 'TodoWrite --start N',
  done: 'TodoWrite --done N',
  prove: 'TodoWrite --done N --prove',
  verify: 'TodoWrite --done N --prove',
  complete: 'TodoWrite --done N',
  completed: 'TodoWrite --done N',
  update: 'TodoWrite --done N',
  remove: 'TodoWrite --drop N',
  delete: 'TodoWrite --drop N',
  drop: 'TodoWrite --drop N',
  clear: `TodoWrite '{"todos":[]}'`,
  reset: `TodoWrite '{"todos":[]}'`,
};
const WHOLE_LIST = `TodoWrite '{"todos":[...]}'`;
const FILE = /^[^\s{}[\]"']*(?:\.\w{1,8}|\/[^\s{}[\]"']*)$/;

/**
 * The error for words in place of a list, with the call that was most likely meant; undefined for anything that looks
 * like JSON.
 */
export function wrongWord(words: readonly string[]): string | undefined {
  const [first = '-', ...more] = words;
  // An item and what became of it: `1 completed`.
  if (/^#?[1-9]\d*$/.test(first) && /^[a-z][\w-]*$/i.test(more[0] ?? '')) {
    const step = /^(?:start|in.?progress|begin)/i.test(more[0] ?? '') ? '--start' : '--done';
    return `${inQuotes(first)} is not a list. Try: TodoWrite ${step} ${first}`;
  }
  if (first === '-' || first.trim() === '' || beginsJson(first) || isValue(first)) return undefined;
  const known = nearest(first, Object.keys(SUBCOMMANDS));
  const call =
    (known !== undefined && SUBCOMMANDS[known]) ||
    (FILE.test(first) ? `TodoWrite < ${safeText(first, 80)}` : undefined);
  // One plain word may be any slip, so that it is told what JSON is.
  if (call === undefined && more.length === 0 && !/\s/.test(first)) return undefined;
  return `${inQuotes(first)} is not a list. Try: ${call ?? WHOLE_LIST}`;
}

/** A number, `true`, `false` or `null` is JSON too. */
function isValue(word: string): boolean {
  return /^-?\d|^(?:true|false|null)$/.test(word.trim());
}
