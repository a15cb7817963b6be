import { beginsJson, HELP_OPTIONS, nearest, type Options } from '../base/command/options.ts';
import { briefText, inQuotes, safeText } from '../base/safe-text.ts';
import type { ListSteps } from './revise-list.ts';
import { LIST_OPTIONS } from './todo-source.ts';

const WHOLE_LIST = `TodoWrite '{"todos":[...]}'`;
const ADD = 'TodoWrite --add "..." --active-form "..."';
const CHECK = `"check":"npm test" in the item's JSON`;
const START = 'TodoWrite --start N';
const DONE = 'TodoWrite --done N';
const DROP = 'TodoWrite --drop N';

/** Words and options of other programs, and the call here that does the same. N is the call's item, FILE its file. */
const CALLS: readonly (readonly [call: string, words: string])[] = [
  ['TodoWrite --help', 'help'],
  ['TodoWrite --version', 'version'],
  ['TodoRead', 'read list show get print view ls l cat all next current status'],
  ['TodoRead --json', 'json'],
  ['TodoRead --history', 'history'],
  ['TodoWrite --undo', 'undo'],
  [ADD, 'add create new insert content a n'],
  [START, 'start begin in-progress active doing resume s'],
  [DONE, 'done complete completed finish finished close tick mark set update item id d c x'],
  [DROP, 'drop remove delete rm del cancel cancelled r'],
  [`TodoWrite '{"todos":[]}'`, 'clear reset empty'],
  ['TodoWrite --done N --prove', 'prove verify'],
  [CHECK, 'check command test'],
  ['TodoWrite < FILE', 'file input from f i'],
  // These need the whole list.
  [WHOLE_LIST, 'write replace todos data undone reopen pending edit rename move priority'],
];

function callNamed(word: string): string | undefined {
  return CALLS.find(([, words]) => words.split(' ').includes(word))?.[0];
}

const STEP = /^--(?:start|done|drop|add|undo|prove)(?:=|$)/;
const ITEM = /^#?[1-9]\d{0,3}$/;
/** Only characters that mean nothing else to bash, since the error tells to type it. */
const FILE = /^[\w@%+=:,./~-]*(?:\.\w{1,8}|\/[\w@%+=:,./~-]*)$/;

/** The error for words in place of a list, with the likely call; undefined for anything that looks like JSON. */
export function wrongWord(words: readonly string[]): string | undefined {
  const [first = '-', second = ''] = words;
  const problem = (call: string) => `${inQuotes(first)} is not a list. Try: ${call}`;
  // Such as `1 completed`.
  if (ITEM.test(first) && /^[a-z][\w-]*$/i.test(second)) {
    const call = callFor(second, words);
    return problem(call && isStep(call) ? call : filledIn(DONE, words));
  }
  if (first === '-' || first.trim() === '' || beginsJson(first) || isValue(first)) return undefined;
  const call = callFor(first, words);
  if (call !== undefined) return problem(call);
  if (FILE.test(first)) return problem(filledIn('TodoWrite < FILE', words));
  // One plain word may be any slip; the JSON error explains more.
  return words.length === 1 && !/\s/.test(first) ? undefined : problem(WHOLE_LIST);
}

/** The problem with the options; for an unknown one with the likely call. */
export function wrongOption(
  { problem, unknown }: { readonly problem: string; readonly unknown?: string },
  argv: readonly string[],
): string {
  if (unknown === undefined) return problem;
  const at = argv.findIndex((argument) => argument.split('=')[0] === unknown);
  // Words after the unknown option belong to it.
  const words = [...argv.slice(at), ...argv.slice(0, at)].map((argument) =>
    argument.replace(/^--?[\w-]+=/, ''),
  );
  const word = unknown.replace(/^-+/, '').toLowerCase().replace(/_/g, '-');
  if (callNamed(word) === undefined && problem.endsWith('?)')) return problem;
  // Without an item, --verify is about completed items.
  const isProve = word === 'verify' && !words.some((each) => ITEM.test(each));
  const call = isProve ? 'TodoWrite --prove' : (callFor(word, words) ?? WHOLE_LIST);
  const said = `Unknown option ${briefText(unknown)}`;
  if (!argv.some((argument) => STEP.test(argument))) return `${said}. Try: ${call}`;
  // The rest of the call is right.
  if (isStep(call)) return `${said} (did you mean ${call.split(' ')[1]}?)`;
  return call === WHOLE_LIST ? `${said}; leave it out` : `${said}. Try: ${call}`;
}

function callFor(name: string, words: readonly string[]): string | undefined {
  const isLong = name.length > 2;
  const similar = () => {
    const names = CALLS.flatMap(([, words]) => words.split(' '));
    return isLong ? nearest(name, names) : undefined;
  };
  const known = callNamed(name) === undefined ? similar() : name;
  const call = known === undefined ? undefined : callNamed(known);
  if (call === undefined) return undefined;
  // TodoRead takes no list.
  if (/^TodoRead/.test(call) && words.some(beginsJson)) return WHOLE_LIST;
  if (call !== DONE && !(known === 'status' && words.some((word) => ITEM.test(word)))) {
    return filledIn(call, words);
  }
  // `mark 1 in_progress`, `--status 1 cancelled`.
  const steps = words.map((word) => callNamed(word.toLowerCase().replace(/_/g, '-')));
  return filledIn(steps.find((step) => step === START || step === DROP) ?? DONE, words);
}

function isStep(call: string): boolean {
  return /^TodoWrite --(?:start|done|drop)/.test(call);
}

function filledIn(call: string, words: readonly string[]): string {
  const item = words.find((word) => ITEM.test(word))?.replace('#', '') ?? 'N';
  const file =
    words.map((word) => word.replace(/^@/, '')).find((word) => FILE.test(word)) ?? 'FILE';
  return call.replace(/\bN\b/, item).replace(/\bFILE\b/, () => safeText(file, 80));
}

/** A number, `true`, `false` or `null` is JSON too. */
function isValue(word: string): boolean {
  return /^-?\d|^(?:true|false|null)$/.test(word.trim());
}

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

export type GivenOptions = Options<typeof WRITE_OPTIONS>;

export function stepsOf(options: GivenOptions): ListSteps | undefined {
  const { '--start': start, '--done': done, '--drop': drop } = options;
  const { '--add': contents, '--active-form': forms = [] } = options;
  const add = contents?.map((content, index) => ({ content, activeForm: forms[index] ?? '' }));
  return (start ?? done ?? drop ?? add ?? options['--active-form']) && { start, done, drop, add };
}

/** Returns why the options cannot be combined. */
export function misuse(
  options: GivenOptions,
  steps: ListSteps | undefined,
  [word]: readonly string[],
): string | undefined {
  if (options['--add']?.length !== options['--active-form']?.length) {
    return 'each --add needs its --active-form: --add "Run tests" --active-form "Running tests"';
  }
  if (options['--undo'] && (steps || options['--prove']))
    return '--undo cannot be combined with another change';
  if (options['--until-done']) return '--until-done needs a whole list';
  if (steps === undefined && (word ?? options['--if-version']) !== undefined) {
    return '--undo takes no list, no --if-version and no --until-done';
  }
  if (word === undefined) return undefined;
  return beginsJson(word)
    ? 'give a whole list or steps such as --done, not both'
    : `Unexpected argument ${inQuotes(word)}; name several items as --done 1 --done 2`;
}
