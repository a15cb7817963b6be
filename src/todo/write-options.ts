import { beginsJson, HELP_OPTIONS, type Options } from '../command/options.ts';
import { inQuotes } from '../safe-text.ts';
import type { ListSteps } from './revise-list.ts';
import { LIST_OPTIONS } from './todo-source.ts';

/** The options of TodoWrite. */
export const WRITE_OPTIONS = {
  '--if-version': 'version',
  '--undo': 'flag',
  '--until-done': 'flag',
  '--start': 'texts',
  '--done': 'texts',
  '--drop': 'texts',
  '--add': 'texts',
  '--active-form': 'texts',
  '--prove': 'flag',
  '--output': ['summary', 'next', 'list', 'json'],
  ...LIST_OPTIONS,
  ...HELP_OPTIONS,
} as const;

/** Those that a call has. */
export type GivenOptions = Options<typeof WRITE_OPTIONS>;

const ADD_USAGE =
  'each --add needs its --active-form: --add "Run tests" --active-form "Running tests"';

/** The steps that the options ask for, what is wrong with them, or undefined if they ask for none. */
export function stepsOf(
  options: GivenOptions,
): ListSteps | { readonly problem: string } | undefined {
  const { '--start': start, '--done': done, '--drop': drop } = options;
  const { '--add': contents = [], '--active-form': forms = [] } = options;
  if (contents.length !== forms.length) return { problem: ADD_USAGE };
  const add = contents.map((content, index) => ({ content, activeForm: forms[index] ?? '' }));
  return (start ?? done ?? drop) || add.length > 0 ? { start, done, drop, add } : undefined;
}

/** What does not go with a change of single items, or with an undo. */
export function misuse(
  options: GivenOptions,
  steps: ListSteps | undefined,
  [word]: readonly string[],
): string | undefined {
  if (options['--undo'] && (steps || options['--prove']))
    return '--undo cannot be combined with another change';
  if (options['--until-done']) {
    return '--until-done needs a whole list';
  }
  if (steps === undefined && (word ?? options['--if-version']) !== undefined) {
    return '--undo takes no list, no --if-version and no --until-done';
  }
  if (word !== undefined && beginsJson(word))
    return 'give a whole list or steps such as --done, not both';
  return word === undefined
    ? undefined
    : `Unexpected argument ${inQuotes(word)}; name several items as --done 1 --done 2`;
}

/** `--prove 2`: which items are proven, `--done` says. */
export function wrongProve(
  options: GivenOptions,
  [word = '']: readonly string[],
): string | undefined {
  return options['--prove'] && /^#?[1-9]\d*$/.test(word)
    ? `--prove takes no item. Try: TodoWrite --done ${word} --prove`
    : undefined;
}
