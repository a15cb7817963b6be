import { CALLER_VARIABLES, type Environment } from '../environment.ts';
import { DEFAULT_HISTORY } from '../state/place.ts';
import { NO_VARIABLES, readEnvFile } from './env-file.ts';
import { parseDuration, SettingReader } from './setting-reader.ts';

/** The limits of a list. */
export interface ListLimits {
  /** The most items that a list may have (TODO_MAX_ITEMS). */
  readonly maxItems: number;
  /** The most characters, in code points, of one text of an item (TODO_MAX_CONTENT_LENGTH). */
  readonly maxContentLength: number;
}

/** What replacing a list asks for. */
export interface ListSettings extends ListLimits {
  /** Whether a list whose items are all completed is emptied at once, in a version of its own (TODO_CLEAR_WHEN_DONE). */
  readonly clearWhenDone: boolean;
}

/** How much guidance a model gets. */
export interface GuidanceSettings {
  /** `notes`: only what is said of a replacement of the list. `all`: reminders too (TODO_GUIDANCE). */
  readonly guidance: 'off' | 'notes' | 'all';
  /** After so many commands without a TodoWrite unfinished items are brought to mind (TODO_REMINDER_TURNS). */
  readonly reminderTurns: number;
}

/** All settings. What is undefined is not set. */
export interface Settings extends ListSettings, GuidanceSettings {
  /** The folder of all lists in files (TODO_STATE_DIR). */
  readonly stateDir: string | undefined;
  /** The server that all lists live on in place of files; undefined for files (TODO_STATE_URL). */
  readonly stateUrl: string | undefined;
  /** How long a command may wait for that server in all, in seconds (TODO_STATE_TIMEOUT). */
  readonly stateTimeout: number;
  /** How many versions of a list in files are kept, the newest included (TODO_HISTORY). */
  readonly history: number;
  /** Whose list it is (TODO_SESSION). */
  readonly session: string | undefined;
  /** Who calls: the agent whose list it is, the author of changes, the claimant of tasks (TODO_AGENT). */
  readonly agent: string | undefined;
  /** The list of tasks where a command names none: TODO_TASK_LIST, else TODO_TEAM. */
  readonly taskList: string | undefined;
  /** Whether an agent may work on one task at a time only (TODO_ONE_TASK_PER_AGENT). */
  readonly oneTaskPerAgent: boolean;
  /** Whether what carries a check is completed only with its proof (TODO_REQUIRE_PROOF). */
  readonly requireProof: boolean;
  /** How long a check may take that --prove runs, in seconds (TODO_PROOF_TIMEOUT). */
  readonly proofTimeout: number;
  /**
   * How many milliseconds a claim lasts after the last command of its owner; undefined: until it is given back
   * (TODO_LEASE). 2 hours for lists on a server unless set.
   */
  readonly leaseMs: number | undefined;
  /** Whether an agent shell that ends gives back the tasks of its agent; undefined: if it was given a name (TODO_RELEASE_AT_EXIT). */
  readonly releaseAtExit: boolean | undefined;
  /** The folder of the hooks (TODO_HOOKS_DIR). */
  readonly hooksDir: string | undefined;
  /** Whether the text for a system prompt speaks of tasks (TODO_TASKS). */
  readonly tasksInPrompt: boolean;
}

/** What `readSettings` found. */
export interface SettingsReading {
  readonly settings: Settings;
  /** A line for each value that could not be used, without its newline. */
  readonly warnings: readonly string[];
}

/** As much of a call as settings depend on: what its caller has in the environment. */
interface Caller {
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** Gives the settings of a call; without one, those of the host itself. */
export type SettingsSource = (call?: Caller) => SettingsReading;

/** What holds where nothing is set: 50 items, 200 characters, a finished list stays, all guidance, a reminder after 10 commands, 50 versions in files, 5 seconds for a server, 10 minutes for a check. */
export const DEFAULT_SETTINGS: Settings = Object.freeze({
  maxItems: 50,
  maxContentLength: 200,
  clearWhenDone: false,
  guidance: 'all',
  reminderTurns: 10,
  stateDir: undefined,
  stateUrl: undefined,
  stateTimeout: 5,
  history: DEFAULT_HISTORY,
  session: undefined,
  agent: undefined,
  taskList: undefined,
  oneTaskPerAgent: false,
  requireProof: false,
  proofTimeout: 600,
  leaseMs: undefined,
  releaseAtExit: undefined,
  hooksDir: undefined,
  tasksInPrompt: false,
});

/** Those that are a caller's own come first. */
const NAMES = [
  ...CALLER_VARIABLES,
  'TODO_MAX_ITEMS',
  'TODO_MAX_CONTENT_LENGTH',
  'TODO_CLEAR_WHEN_DONE',
  'TODO_GUIDANCE',
  'TODO_REMINDER_TURNS',
  'TODO_STATE_DIR',
  'TODO_STATE_URL',
  'TODO_STATE_TIMEOUT',
  'TODO_HISTORY',
  'TODO_ONE_TASK_PER_AGENT',
  'TODO_REQUIRE_PROOF',
  'TODO_PROOF_TIMEOUT',
  'TODO_LEASE',
  'TODO_RELEASE_AT_EXIT',
  'TODO_HOOKS_DIR',
  'TODO_TASKS',
] as const;
type Name = (typeof NAMES)[number];

const GUIDANCE_MODES = ['off', 'notes', 'all'] as const;

/**
 * The current settings: each from `environment`, else, if allowed there, from `.env` in `directory`, else its default.
 * Never throws. Cheap enough for every command: what has not changed is not read again.
 *
 * @param directory undefined: no `.env` is looked for.
 */
export function readSettings(
  environment: Environment,
  directory: string | undefined,
): SettingsReading {
  return readVariables(environment, environment, directory);
}

/** One is enough to remember: a program seldom changes its settings. */
let latest: { file: Environment; texts: Texts; reading: SettingsReading } | undefined;

/** The text of each name. To look one up takes 0.3 us, as long as all else here together: each is looked up once. */
type Texts = readonly (string | undefined)[];

function readVariables(
  environment: Environment,
  caller: Environment,
  directory: string | undefined,
): SettingsReading {
  const file = directory === undefined ? NO_VARIABLES : readEnvFile(`${directory}/.env`);
  const texts = NAMES.map(
    (name, at) => (at < CALLER_VARIABLES.length ? caller : environment)[name],
  );
  const isKnown =
    latest?.file === file && latest.texts.every((text, index) => text === texts[index]);
  if (latest === undefined || !isKnown) {
    const variables = Object.fromEntries(NAMES.map((name, index) => [name, texts[index]]));
    latest = { file, texts, reading: settingsFrom(variables, file) };
  }
  return latest.reading;
}

function settingsFrom(environment: Environment, file: Environment): SettingsReading {
  const { read, integer, flag, text, warnings } = new SettingReader<Name>(environment, file);
  const mode = (value: string) => GUIDANCE_MODES.find((known) => known === value.trim());
  // On several machines nobody sees that an agent has died.
  const usualLease = text('TODO_STATE_URL') === undefined ? 0 : SHARED_LEASE_MS;
  const lease =
    text('TODO_LEASE') === undefined
      ? usualLease
      : read<number | undefined>('TODO_LEASE', undefined, LEASE_FORM, leaseOf);
  const settings = {
    maxItems: integer('TODO_MAX_ITEMS', DEFAULT_SETTINGS.maxItems),
    maxContentLength: integer('TODO_MAX_CONTENT_LENGTH', DEFAULT_SETTINGS.maxContentLength),
    clearWhenDone: flag('TODO_CLEAR_WHEN_DONE'),
    guidance: read('TODO_GUIDANCE', DEFAULT_SETTINGS.guidance, 'off, notes or all', mode),
    reminderTurns: integer('TODO_REMINDER_TURNS', DEFAULT_SETTINGS.reminderTurns),
    stateDir: text('TODO_STATE_DIR'),
    stateUrl: text('TODO_STATE_URL'),
    stateTimeout: integer('TODO_STATE_TIMEOUT', DEFAULT_SETTINGS.stateTimeout),
    history: integer('TODO_HISTORY', DEFAULT_HISTORY),
    session: text('TODO_SESSION'),
    agent: text('TODO_AGENT'),
    taskList: text('TODO_TASK_LIST') ?? text('TODO_TEAM'),
    oneTaskPerAgent: flag('TODO_ONE_TASK_PER_AGENT'),
    requireProof: flag('TODO_REQUIRE_PROOF'),
    proofTimeout: integer('TODO_PROOF_TIMEOUT', DEFAULT_SETTINGS.proofTimeout),
    leaseMs: lease || undefined,
    releaseAtExit:
      text('TODO_RELEASE_AT_EXIT') === undefined ? undefined : flag('TODO_RELEASE_AT_EXIT'),
    hooksDir: text('TODO_HOOKS_DIR'),
    tasksInPrompt: flag('TODO_TASKS'),
  };
  return { settings: Object.freeze(settings), warnings: Object.freeze(warnings) };
}

/**
 * The settings of a process, read once per call. TODO_SESSION, TODO_AGENT, TODO_TEAM and TODO_TASK_LIST are the
 * caller's; all others are the host's.
 *
 * @param directory gives the current directory, or throws where it has been deleted.
 */
export function settingsOfCalls(environment: Environment, directory: () => string): SettingsSource {
  const known = new WeakMap<Caller, SettingsReading>();
  return (call) => {
    const before = call && known.get(call);
    if (before) return before;
    const caller = call?.env ?? environment;
    const reading = readVariables(environment, caller, orUndefined(directory));
    if (call) known.set(call, reading);
    return reading;
  };
}

function orUndefined<T>(get: () => T): T | undefined {
  try {
    return get();
  } catch {
    return undefined;
  }
}

const SHARED_LEASE_MS = 2 * 60 * 60_000;
const LEASE_FORM = 'a time such as 90s, 30m or 8h, or off';

/** A duration as milliseconds, and 0 for none. */
function leaseOf(text: string): number | undefined {
  return ['off', '0'].includes(text.trim().toLowerCase()) ? 0 : parseDuration(text);
}
