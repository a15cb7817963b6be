import { DONE, DROP, PENDING } from '../base/command/near-names.ts';
import {
  beginsJson,
  HELP_OPTIONS,
  joinedOptions,
  nearest,
  type Options,
} from '../base/command/options.ts';
import { briefText, inQuotes, safeText } from '../base/safe-text.ts';
import { type ListSteps, STEP_OPTIONS } from './revise-list.ts';
import { LIST_OPTIONS } from './todo-source.ts';

const WHOLE_LIST = `TodoWrite '{"todos":[...]}'`;
const FILE_LIST = 'TodoWrite < FILE';
const ADD = 'TodoWrite --add "..." --active-form "..."';
const QUOTE_TEXTS = 'each --add takes one text, in quotes: --add "Run tests"';
const CHECK = `"check":"npm test" in the item's JSON`;
const START = 'TodoWrite --start N';
const RESTORE = 'TodoWrite --undo --at N';
const PROVE = 'TodoProve N';
const MERGE = 'TodoWrite --done N, --start N or --add "..."; a list replaces the whole one';
const ANY_STEP = `${START}, or --done N, --pending N, --drop N`;

/** Words and options of other programs, and the call here that does the same. N is the call's item, FILE its file. */
const CALLS: readonly (readonly [call: string, words: string])[] = [
  ['TodoWrite --help', 'help'],
  ['TodoWrite --version', 'version'],
  ['TodoRead', 'read list show get print view ls l cat all next current status'],
  ['TodoRead --json', 'json'],
  ['TodoRead --history', 'history'],
  ['TodoWrite --undo', 'undo'],
  ['TodoWrite --adopt', 'adopt inherit'],
  [RESTORE, 'restore revert rollback'],
  [ADD, 'add append create new insert content title subject text task name a n'],
  [START, 'start begin in-progress active doing resume s'],
  [DONE, 'done complete completed finish finished close tick x'],
  [PENDING, 'pending undone reopen blocked block stop pause put back not hold wait defer open'],
  [ANY_STEP, 'set update change mark item id d c'],
  [DROP, 'drop remove delete rm del cancel cancelled skip r'],
  [`TodoWrite '{"todos":[]}'`, 'clear reset empty'],
  [PROVE, 'prove verify'],
  [CHECK, 'check command test'],
  [FILE_LIST, 'file input from f i'],
  ['TodoWrite -', 'stdin'],
  [MERGE, 'merge patch'],
  // These need the whole list.
  [WHOLE_LIST, 'write replace todos data edit rename move priority note comment message'],
];

function callNamed(word: string): string | undefined {
  return CALLS.find(([, words]) => words.split(' ').includes(word))?.[0];
}

const NO_ITEM = /^--(?:start|done|pending|drop) needs a value$/;
const STEP = /^--(?:start|done|pending|drop|add|undo)(?:=|$)/;
const ITEM_WORD = /^#?[1-9]\d{0,3}$/;
/** `1 pending` as one word. */
const OF_ITEM = /^#?[1-9]\d{0,3}[\s:=]+\w/;
/** Only characters that mean nothing else to bash, since the error tells to type it. */
const FILE_NAME = /^[\w@%+=:,./~-]*(?:\.\w{1,8}|\/[\w@%+=:,./~-]*)$/;
/** Such as `Here is the list: {"todos":[...]}`, or YAML. */
const HOLDS_LIST = /\b(?:todos|content)"?\s*:/;

/** The error for words in place of a list, with the likely call; undefined for anything that looks like JSON. */
export function wrongWord(given: readonly string[]): string | undefined {
  if (given[0] === undefined || beginsJson(given[0])) return undefined;
  // The rest of JSON whose beginning is in standard input.
  if (given.some((word) => /,(?:activeForm|status):/.test(word))) return undefined;
  const words = given.flatMap((word) => (OF_ITEM.test(word) ? word.split(/[\s:=]+/) : word));
  const [first = '', second = ''] = words;
  const problem = (call: string) => `${inQuotes(first)} is not a list. Try: ${call}`;
  const steps = stepCall(given);
  if (steps !== undefined) return problem(steps);
  // Such as `1 completed`.
  if (ITEM_WORD.test(first) && /^[a-z][\w-]*$/i.test(second)) {
    const call = callFor(second, words);
    return problem(call && isStep(call) ? call : filledIn(ANY_STEP, words));
  }
  if (first === '-' || first.trim() === '' || isValue(first)) return undefined;
  if (FILE_NAME.test(first)) return problem(filledIn(FILE_LIST, words));
  const call = HOLDS_LIST.test(first) ? WHOLE_LIST : callFor(first, words);
  if (call !== undefined) return problem(call);
  // One plain word may be any slip; the JSON error explains more.
  return words.length === 1 && !/\s/.test(first) ? undefined : problem(ADD);
}

/** The problem with the options; for an unknown one with the likely call. */
export function wrongOption(
  { problem, unknown }: { readonly problem: string; readonly unknown: string | undefined },
  argv: readonly string[],
): string {
  if (unknown === undefined)
    return problem.replace(NO_ITEM, '$&: 1, since bash takes #1 for a comment');
  const at = argv.findIndex((argument) => argument.split('=')[0] === unknown);
  // Words after the unknown option belong to it.
  const words = [...argv.slice(at), ...argv.slice(0, at)].map((argument) =>
    argument.replace(/^--?[\w-]+=/, ''),
  );
  const word = plainWord(unknown);
  const isForm = problem.endsWith('--active-form?)') && argv.includes('--add');
  if (isForm || (callNamed(word) === undefined && problem.endsWith('?)'))) return problem;
  const said = `Unknown option ${briefText(unknown)}`;
  const steps = stepCall(argv);
  if (steps !== undefined) return `${said}. Try: ${steps}`;
  const done = argv.slice(Math.max(0, argv.indexOf('--done')));
  const isProve = callNamed(word) === PROVE;
  const call = callFor(word, isProve ? [...done, ...words] : words) ?? listCall(words);
  if (!argv.some((argument) => STEP.test(argument))) return `${said}. Try: ${call}`;
  // Only this option is wrong.
  if (isStep(call)) return `${said} (did you mean ${call.split(' ')[1]}?)`;
  const isOther =
    [WHOLE_LIST, filledIn(ANY_STEP, words)].includes(call) || call.startsWith('TodoRead');
  if (!isOther) return `${said}. Try: ${call}`;
  const isVersion = argv.includes('--undo') && words.some((word) => ITEM_WORD.test(word));
  return `${said}; ${isVersion ? `to restore version N: ${RESTORE}` : 'leave it out'}`;
}

/** Such as `incomplete`, which is close to `complete`. */
const NOT_DONE = /^(?:un|in|not)-?(?:done|complete|finish|start|tick|mark|check|block)/;

function callFor(name: string, words: readonly string[]): string | undefined {
  const known = knownWord(name) ?? nearWord(name);
  const call = known && callNamed(known);
  // These take no list.
  const isListGiven = words.some((word) => beginsJson(word.replace(/^\w+=/, '')));
  if (isListGiven && (call === ANY_STEP || call?.startsWith('TodoRead'))) return WHOLE_LIST;
  if (call === WHOLE_LIST) return listCall(words);
  const isOfItem = known === 'status' && words.some((word) => ITEM_WORD.test(word));
  return call && filledIn(isOfItem ? ANY_STEP : call, words);
}

const MAX_STEPS_LENGTH = 200;
const FILLER = /^(?:as|to|is|and|then|the|items?|tasks?|todos?|status)$/;

/** The call for words that are all items, steps or fillers: `--complete 2 --start 3`, `mark item 2 as done`. */
function stepCall(words: readonly string[]): string | undefined {
  const text = plainWord(words.join(' '));
  if (text.length > MAX_STEPS_LENGTH) return undefined;
  const joined = text.replace(/\b(in|not) (?=progress|done|compl|finish)/g, '$1-');
  const parts = joined.split(/[\s=:,]+-*/).flatMap((word) => knownWord(word) ?? word.split('-'));
  const read = parts.map(stepPart);
  if (read.includes(undefined)) return undefined;
  const told = read.filter(Boolean).filter((part, at, all) => part !== all[at - 1]);
  const said = told.join(' ').replace(/(?<=\d) (?=\d)/g, ',');
  const steps = /^\d/.test(said) ? said.replace(/([\d,]+) (--\w+)(?= \d|$)/g, '$2 $1') : said;
  return /^(?:--\w+ [\d,]+(?: |$))+$/.test(steps) ? `TodoWrite ${steps}` : undefined;
}

/** What a word says of a step: `2`, `--done`, or nothing if it is a filler. Undefined if it is about something else. */
function stepPart(word: string): string | undefined {
  if (ITEM_WORD.test(word)) return word.replace('#', '');
  const call = callNamed(knownWord(word) ?? '') ?? '';
  if (isStep(call)) return call.split(' ')[1];
  return word === '' || call === ANY_STEP || FILLER.test(word) ? '' : undefined;
}

function listCall(words: readonly string[]): string {
  return words.some((word) => /\.json$/.test(word)) ? filledIn(FILE_LIST, words) : WHOLE_LIST;
}

function plainWord(word: string): string {
  return word.replace(/^-+/, '').toLowerCase().replace(/_/g, '-');
}

function knownWord(word: string): string | undefined {
  if (callNamed(word) !== undefined) return word;
  return NOT_DONE.test(word) ? 'undone' : undefined;
}

function nearWord(word: string): string | undefined {
  const known = CALLS.flatMap(([, words]) => words.split(' '));
  return word.length > 2 ? nearest(word, known) : undefined;
}

function isStep(call: string): boolean {
  return /^TodoWrite --(?:start|done|pending|drop) \w+$/.test(call);
}

function filledIn(call: string, words: readonly string[]): string {
  const item = words.find((word) => ITEM_WORD.test(word))?.replace('#', '') ?? 'N';
  const file =
    words.map((word) => word.replace(/^@/, '')).find((word) => FILE_NAME.test(word)) ?? 'FILE';
  // Without an item, TodoProve is about all completed ones.
  if (call === PROVE && item === 'N') return 'TodoProve';
  const start = words[words.indexOf('--start') + 1] ?? '';
  if (call === PROVE && words.includes('--start') && ITEM_WORD.test(start)) {
    return `TodoProve ${item} --start ${start}`;
  }
  return call.replace(/\bN\b/g, item).replace(/\bFILE\b/, () => safeText(file, 80));
}

/** A number, `true`, `false` or `null` is JSON too. */
function isValue(word: string): boolean {
  return /^(?:-?\d[\d.eE+-]*|true|false|null)$/.test(word.trim());
}

export const WRITE_OPTIONS = {
  '--if-version': 'version',
  '--undo': 'flag',
  '--adopt': 'flag',
  '--at': 'version',
  '--until-done': 'flag',
  '--start': 'texts',
  '--done': 'texts',
  '--pending': 'texts',
  '--drop': 'texts',
  '--add': 'texts',
  '--active-form': 'texts',
  '--output': ['summary', 'next', 'list', 'json'],
  ...LIST_OPTIONS,
  ...HELP_OPTIONS,
} as const;

export type GivenWriteOptions = Options<typeof WRITE_OPTIONS>;

export function stepsOfOptions(options: GivenWriteOptions): ListSteps | undefined {
  const { '--add': contents, '--active-form': forms = [] } = options;
  const add = contents?.map((content, index) => ({ content, activeForm: forms[index] ?? '' }));
  const isAsked = options['--active-form'] || STEP_OPTIONS.some((name) => options[name]);
  return isAsked || add ? { ...options, add } : undefined;
}

/** Returns why the options cannot be combined. */
export function misuse(
  options: GivenWriteOptions,
  steps: ListSteps | undefined,
  rest: readonly string[],
): string | undefined {
  const [word] = rest;
  const contents = options['--add'] ?? [];
  if (contents.length !== (options['--active-form'] ?? []).length) {
    const given = [...contents, ...rest].join('\n');
    const joined = joinedOptions(given, { '--active-form': WRITE_OPTIONS['--active-form'] });
    if (joined !== undefined) return joined;
    return 'each --add needs its --active-form: --add "Run tests" --active-form "Running tests"';
  }
  if (!options['--undo'] && options['--at'] !== undefined) {
    return '--at is for --undo: TodoWrite --undo --at N; to see version N: TodoRead --at N';
  }
  const alone = options['--undo'] ? '--undo' : '--adopt';
  const others = [steps, options['--undo'], options['--adopt']].filter(Boolean);
  if (others.length > 1) return `${alone} cannot be combined with another change`;
  if (options['--until-done']) return '--until-done needs a whole list';
  if (options['--undo'] && word !== undefined && !beginsJson(word)) {
    const way = /^\d+$/.test(word) ? `. Try: --at ${word}` : '';
    return `Unexpected argument ${inQuotes(word)}${way}`;
  }
  if (steps === undefined && (word ?? options['--if-version']) !== undefined) {
    return `${alone} takes no list, no --if-version and no --until-done`;
  }
  if (word === undefined) return undefined;
  if (beginsJson(word)) return 'give a whole list or steps such as --done, not both';
  const way = ITEM_WORD.test(word) ? 'name several items as --done 1 --done 2' : QUOTE_TEXTS;
  return joinedOptions(word, WRITE_OPTIONS) ?? `Unexpected argument ${inQuotes(word)}; ${way}`;
}
