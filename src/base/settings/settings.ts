import { readFileSync, statSync } from 'node:fs';
import { UNIT_MS } from '../duration.ts';
import { CALLER_VARIABLES, type Environment } from '../environment.ts';
import { orElse } from '../system/files.ts';
import {
  FLAG,
  GUIDANCE_MODE,
  INTEGER,
  LEASE,
  type SettingRow,
  TEXT,
  valuesOf,
} from './setting-rows.ts';

/** The limits of a list. */
export interface ListLimits {
  /** The most items that a list may have (TODO_MAX_ITEMS). */
  readonly maxItems: number;
  /** The most characters, in code points, of one text of an item (TODO_MAX_CONTENT_LENGTH). */
  readonly maxContentLength: number;
  /** The `.env` that sets one or both of these limits, if one does, and those that it sets. */
  readonly limitsFile?: { readonly path: string; readonly limits: readonly number[] } | undefined;
}

export interface ListSettings extends ListLimits {
  /** True if a list whose items are all completed is emptied at once, in a version of its own (TODO_CLEAR_WHEN_DONE). */
  readonly clearWhenDone: boolean;
}

/** How much guidance a model gets. */
export interface GuidanceSettings {
  /** `notes`: only about a change of the list. `all`: reminders too (TODO_GUIDANCE). */
  readonly guidance: 'off' | 'notes' | 'all';
  /** The number of commands without a TodoWrite after which the model is reminded of unfinished items (TODO_REMINDER_TURNS). */
  readonly reminderTurns: number;
}

/** All settings; undefined if not set. */
export interface Settings extends ListSettings, GuidanceSettings {
  /** The folder of all lists in files (TODO_STATE_DIR). */
  readonly stateDir: string | undefined;
  /** The server for all lists; undefined for files (TODO_STATE_URL). */
  readonly stateUrl: string | undefined;
  /** How long a command may wait for that server in all, in seconds (TODO_STATE_TIMEOUT). */
  readonly stateTimeout: number;
  /** How many versions of a list in files are kept, the newest included (TODO_HISTORY). */
  readonly history: number;
  /** The session of the list (TODO_SESSION). */
  readonly session: string | undefined;
  /** The caller: whose list it is, the author of changes, the claimant of tasks (TODO_AGENT). */
  readonly agent: string | undefined;
  /** The default list of tasks: TODO_TASK_LIST, else TODO_TEAM. */
  readonly taskList: string | undefined;
  /** True if an agent may work on one task at a time only (TODO_ONE_TASK_PER_AGENT). */
  readonly oneTaskPerAgent: boolean;
  /** True if an item or a task with a check can only be completed with its proof (TODO_REQUIRE_PROOF). */
  readonly requireProof: boolean;
  /** The time limit of a check, in seconds (TODO_PROOF_TIMEOUT). */
  readonly proofTimeout: number;
  /**
   * How many milliseconds a claim lasts after the owner's last command; undefined: until it is released (TODO_LEASE).
   * Default on a server: 2 hours.
   */
  readonly leaseMs: number | undefined;
  /**
   * True if an agent shell releases its agent's tasks when it ends; undefined: only if it was given a name
   * (TODO_RELEASE_AT_EXIT).
   */
  readonly releaseAtExit: boolean | undefined;
  /** The folder of the hooks (TODO_HOOKS_DIR). */
  readonly hooksDir: string | undefined;
  /** True if the text for a system prompt covers tasks (TODO_TASKS). */
  readonly tasksInPrompt: boolean;
}

/** The settings that an environment gives, and warnings about values that were not used. */
export interface SettingsReading {
  readonly settings: Settings;
  /** A line for each invalid value, without its newline. */
  readonly warnings: readonly string[];
  /** The warnings that TodoRead prints, too: the lists are elsewhere. */
  readonly ofFolder?: readonly string[];
}

/** The part of a call that settings depend on. */
interface Caller {
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** Returns the settings of a call; without one, those of the host. */
export type SettingsSource = (call?: Caller) => SettingsReading;

/** How many versions of a list are kept. */
export const DEFAULT_HISTORY = 50;

const LIMITS = ['TODO_MAX_ITEMS', 'TODO_MAX_CONTENT_LENGTH'] as const;
type Rows = { readonly [Name in keyof Omit<Settings, 'limitsFile'>]: SettingRow<Settings[Name]> };

const ROWS: Rows = {
  maxItems: { ...INTEGER, names: [LIMITS[0]], fallback: 50, inFile: true },
  maxContentLength: { ...INTEGER, names: [LIMITS[1]], fallback: 200, inFile: true },
  clearWhenDone: { ...FLAG, names: ['TODO_CLEAR_WHEN_DONE'], fallback: false, inFile: true },
  guidance: { ...GUIDANCE_MODE, names: ['TODO_GUIDANCE'], fallback: 'all', inFile: true },
  reminderTurns: { ...INTEGER, names: ['TODO_REMINDER_TURNS'], fallback: 10, inFile: true },
  stateDir: { ...TEXT, names: ['TODO_STATE_DIR'] },
  stateUrl: { ...TEXT, names: ['TODO_STATE_URL'] },
  stateTimeout: { ...INTEGER, names: ['TODO_STATE_TIMEOUT'], fallback: 5 },
  history: { ...INTEGER, names: ['TODO_HISTORY'], fallback: DEFAULT_HISTORY },
  session: { ...TEXT, names: ['TODO_SESSION'] },
  agent: { ...TEXT, names: ['TODO_AGENT'], parse: (given) => given.trim() },
  taskList: { ...TEXT, names: ['TODO_TASK_LIST', 'TODO_TEAM'] },
  oneTaskPerAgent: { ...FLAG, names: ['TODO_ONE_TASK_PER_AGENT'], fallback: false, inFile: true },
  requireProof: { ...FLAG, names: ['TODO_REQUIRE_PROOF'], fallback: false, inFile: true },
  proofTimeout: { ...INTEGER, names: ['TODO_PROOF_TIMEOUT'], fallback: 600, inFile: true },
  leaseMs: { ...LEASE, names: ['TODO_LEASE'] },
  releaseAtExit: {
    ...FLAG,
    names: ['TODO_RELEASE_AT_EXIT'],
    fallback: undefined,
    isUnsetIfEmpty: true,
  },
  hooksDir: { ...TEXT, names: ['TODO_HOOKS_DIR'] },
  tasksInPrompt: { ...FLAG, names: ['TODO_TASKS'], fallback: false, inFile: true },
};

/** A larger `.env` is ignored. */
const MAX_ENV_FILE_BYTES = 256 * 1024;
const NO_VARIABLES: Environment = {};
/** stat takes a quarter of a call in process, so calls within this time share one. */
const LOOK_MS = 20;

/**
 * The defaults: 50 items, 200 characters, a finished list stays, all guidance, a reminder after 10 commands, 50 versions in
 * files, 5 seconds for a server, 10 minutes for a check.
 */
export const DEFAULT_SETTINGS: Settings = /* @__PURE__ */ defaults(ROWS);

/** Bundlers drop a call whose result nobody uses. */
function defaults(rows: Rows): Settings {
  return valuesOf(rows, {}, NO_VARIABLES).values;
}

type Variables = Record<string, string | undefined>;
const NAMES: readonly string[] = ['HOME', ...Object.values(ROWS).flatMap(({ names }) => names)];
const allVariables = (from: Environment): Variables =>
  Object.fromEntries(NAMES.map((name) => [name, from[name]]));
// biome-ignore format: a table.
/** Those that a list in memory uses. To look one up takes 0.13 us, by a computed name 0.19; a TodoWrite of ten items about 20. */
const variablesInMemory = ({
  TODO_MAX_ITEMS, TODO_MAX_CONTENT_LENGTH, TODO_CLEAR_WHEN_DONE, TODO_GUIDANCE, TODO_REMINDER_TURNS,
  TODO_REQUIRE_PROOF, TODO_PROOF_TIMEOUT, TODO_SESSION, TODO_AGENT,
}: Environment): Variables => ({
  TODO_MAX_ITEMS, TODO_MAX_CONTENT_LENGTH, TODO_CLEAR_WHEN_DONE, TODO_GUIDANCE, TODO_REMINDER_TURNS,
  TODO_REQUIRE_PROOF, TODO_PROOF_TIMEOUT, TODO_SESSION, TODO_AGENT,
});

const SHARED_LEASE_MS = 2 * UNIT_MS.h;

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
  return readVariables(allVariables, environment, environment, directory);
}

interface LatestReading {
  readonly read: typeof allVariables;
  readonly variables: Variables;
  readonly file: Environment;
  readonly reading: SettingsReading;
}

let latest: LatestReading | undefined;

function readVariables(
  read: typeof allVariables,
  environment: Environment,
  caller: Environment,
  directory: string | undefined,
): SettingsReading {
  const file = directory === undefined ? NO_VARIABLES : readEnvFile(directory);
  const variables = read(environment);
  if (caller !== environment)
    for (const name of CALLER_VARIABLES) if (name in variables) variables[name] = caller[name];
  const known = latest?.read === read && latest.file === file ? latest : undefined;
  if (known && areEqual(known.variables, variables)) return known.reading;
  latest = { read, variables, file, reading: settingsFrom(variables, file, directory) };
  return latest.reading;
}

function areEqual(known: Variables, variables: Variables): boolean {
  for (const name in variables) if (variables[name] !== known[name]) return false;
  return true;
}

function settingsFrom(
  environment: Environment,
  file: Environment,
  directory = '',
): SettingsReading {
  const { values, warnings } = valuesOf(ROWS, environment, file);
  // On several machines nobody notices that an agent has died.
  const unset = values.stateUrl === undefined ? undefined : SHARED_LEASE_MS;
  // A configuration file, unlike a shell, leaves `~` as it is.
  const path = (given?: string) =>
    given?.replace(/^~(?=\/|$)/, (tilde) => environment.HOME || tilde);
  const [stateDir, hooksDir] = [path(values.stateDir), path(values.hooksDir)];
  const leaseMs = (values.leaseMs ?? unset) || undefined;
  const ofFile = LIMITS.filter((name) => environment[name] === undefined && file[name]);
  const limits = ofFile.map((name) =>
    name === LIMITS[0] ? values.maxItems : values.maxContentLength,
  );
  const source = limits.length > 0 && { limitsFile: { path: `${directory}/.env`, limits } };
  const settings = { ...values, stateDir, hooksDir, leaseMs, ...source };
  return { settings: Object.freeze(settings), warnings: Object.freeze(warnings) };
}

/**
 * The settings of a process, read once per call. TODO_SESSION, TODO_AGENT, TODO_TEAM and TODO_TASK_LIST are the
 * caller's; all others are the host's.
 *
 * @param directory gives the current directory, or throws where it has been deleted.
 * @param isInMemory if true, settings that only files, servers and tasks need are not read.
 */
export function settingsOfCalls(
  environment: Environment,
  directory: () => string,
  isInMemory = false,
): SettingsSource {
  const read = isInMemory ? variablesInMemory : allVariables;
  // Not a WeakMap, which the garbage collector walks through: calls hardly ever overlap.
  let last: { call: Caller | undefined; reading: SettingsReading } | undefined;
  return (call) => {
    if (call && last?.call === call) return last.reading;
    const [caller, folder] = [call?.env ?? environment, orElse(directory, undefined)];
    last = { call, reading: readVariables(read, environment, caller, folder) };
    return last.reading;
  };
}

let latestFile: { directory: string; at: number; variables: Environment } | undefined;

/** The settings of a directory's `.env`, read every 20 ms at most. */
function readEnvFile(directory: string): Environment {
  // `performance` would load a module.
  const now = process.uptime() * 1000;
  if (latestFile?.directory !== directory || now - latestFile.at >= LOOK_MS) {
    const variables = orElse(() => variablesIn(`${directory}/.env`), NO_VARIABLES);
    latestFile = { directory, at: now, variables };
  }
  return latestFile.variables;
}

function variablesIn(path: string): Environment {
  const stat = statSync(path, { throwIfNoEntry: false });
  // A link to a file of /proc, which says that it has no bytes, may be read for ever.
  if (!stat?.isFile() || stat.size === 0 || stat.size > MAX_ENV_FILE_BYTES) return NO_VARIABLES;
  // Loaded only if there is a `.env`.
  const { parseEnv } = process.getBuiltinModule('node:util');
  const all = parseEnv(readFileSync(path, 'utf8').replace(/^\ufeff/, ''));
  // Keep nothing else from that file, least of all secrets.
  const allowed = Object.values(ROWS).flatMap(({ names, inFile }) => (inFile ? names : []));
  return Object.fromEntries(allowed.map((name) => [name, all[name]]));
}
