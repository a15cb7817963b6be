import { readdirSync, statSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import { attempt, errorCode } from '../base/command/state-error.ts';
import { type Environment, harnessSession } from '../base/environment.ts';
import { isTrusted } from '../base/system/access.ts';
import { orElse } from '../base/system/files.ts';
import { UNFINISHED } from './version-folder.ts';

export interface ListName {
  readonly session: string;
  readonly agent: string;
}

/**
 * The folder of all lists: TODO_STATE_DIR, else the platform's folder for program state.
 *
 * @param stateDir TODO_STATE_DIR; a relative one is in `root`.
 */
export function stateFolder(
  stateDir: string | undefined,
  environment: Environment,
  root = '/',
): string {
  if (stateDir) return tidy(isAbsolute(stateDir) ? stateDir : `${root}/${stateDir}`);
  const { XDG_STATE_HOME = '' } = environment;
  // The XDG specification says to ignore a relative one.
  if (isAbsolute(XDG_STATE_HOME)) return tidy(`${XDG_STATE_HOME}/todowrite`);
  return tidy(`${homeFolder(environment)}/.local/state/todowrite`);
}

/** A relative or empty HOME would give each directory its own lists. */
export function homeFolder({ HOME = '' }: Environment): string {
  if (isAbsolute(HOME)) return HOME;
  const { userInfo } = process.getBuiltinModule('node:os');
  const what = 'lists: set TODO_STATE_DIR';
  return attempt('find your home folder for', what, () => userInfo().homedir);
}

/** In a process that has just begun, Node takes as long to normalize a path as to read a file. */
function tidy(path: string): string {
  return /\/(?:\/|\.\.?(?:\/|$)|$)/.test(path) ? resolve(path) : path;
}

/**
 * The enclosing git work tree. It and its `.git` must belong to this user or root: somebody else's in a shared folder, such
 * as /tmp, does not make one session of everything below.
 */
export function workTreeOf(directory: string): string | undefined {
  return enclosing(directory, (folder) => isTrusted(`${folder}/.git`) && isTrusted(folder));
}

const STICKY = 0o1000;

/**
 * Without git: the nearest folder that `has` something. Above the current one, neither home folders nor / nor shared folders
 * such as /tmp, which are sticky: they hold unrelated projects. (On some mounts, each folder is writable for everybody.)
 */
export function projectFolder(
  directory: string,
  home: string,
  has: (folder: string) => boolean,
): string | undefined {
  const isCommon = (folder: string) =>
    folder !== directory &&
    (`${home}/`.startsWith(folder === '/' ? folder : `${folder}/`) ||
      orElse(() => (statSync(folder).mode & STICKY) !== 0, true));
  const found = enclosing(directory, (folder) => isCommon(folder) || has(folder));
  return found !== undefined && !isCommon(found) ? found : undefined;
}

/** The folder itself, or the nearest of those above it, with the property that is asked for. */
export function enclosing(directory: string, has: (folder: string) => boolean): string | undefined {
  for (let folder = directory; ; folder = dirname(folder)) {
    if (has(folder)) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

/**
 * Appends the harness's session id to an agent's name, as in `main@3f2c`: two sessions in one work tree have a list each,
 * and a resumed one finds its own. A name with an `@` stays.
 */
export function agentOfHarness(agent: string, environment: Environment): string {
  if (agent.includes('@')) return agent;
  const id = harnessSession(environment);
  return id === undefined ? agent : `${agent}@${id}`;
}

/** The key of a session, a prefix of its lists' keys. */
export function sessionKey(session: string): string {
  return `todos/${pathName(session)}`;
}

export function listKey({ session, agent }: ListName): string {
  return `${sessionKey(session)}/${pathName(agent)}`;
}

export function taskListKey(list: string): string {
  return `tasks/${pathName(list)}`;
}

/** The folder of a list by its key, `todos/SESSION/AGENT` or `tasks/LIST`; or of several lists by the start of their keys. */
export function folderOfKey(state: string, key: string): string {
  const [kind, ...names] = key.split('/');
  return [state, ...(kind === 'tasks' ? [TASK_LISTS] : []), ...names].join('/');
}

export function hookFolder(state: string, { session, agent }: ListName): string {
  return `${state}/hooks~/${pathName(session)}/${pathName(agent)}`;
}

/** The file with the session in which the list of a harness's agent, such as `main@3f2c`, began. */
export function beginningFile(state: string, agent: string): string {
  return `${state}/begun~/${pathName(agent)}`;
}

/** No session has this name: none made by `pathName` ends in `~`. */
const TASK_LISTS = 'tasks~';

/** The names of lists, or of sessions with lists; other folders have names that `pathName` never makes. */
export function listNamesIn(folder: string): string[] {
  try {
    const entries = attempt('read', folder, () => readdirSync(folder, { withFileTypes: true }));
    // Links are refused when they are used.
    const folders = entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink());
    const names = folders.map(({ name }) => name);
    return names.filter((name) => !name.endsWith('~') && !name.endsWith(UNFINISHED)).sort();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
/** Longer names are truncated. File systems allow 143 to 255 bytes, and suffixes need the rest. */
const LONGEST = 130;
const KEPT_OF_LONG = 90;
const HASH_DIGITS = 32;
const SHOWN_DIGITS = 8;
const CUT = /^[a-z0-9%+_-][a-z0-9%+._-]*~[0-9a-f]{32}$/;

/**
 * Turns any text into a file name. Different texts never get the same name, not even on file systems that ignore case or
 * Unicode normalization.
 *
 * Lower-case letters, digits, `-`, `_` and all dots but the first character stay; `A` becomes `+a`; everything else becomes
 * `%` and its UTF-8 bytes, as in a URL. A name that is too long is truncated, and `~` and a hash of the whole follow.
 */
export function pathName(text: string): string {
  const name = text.replace(/^\.|[^a-z0-9._-]/gu, escaped) || '%';
  return name.length <= LONGEST ? name : `${name.slice(0, KEPT_OF_LONG)}~${sha256(text)}`;
}

/** The original text; undefined if `pathName` truncated it, or did not make the name. */
export function textOfPathName(name: string): string | undefined {
  if (name === '%') return '';
  const text = decoded(name);
  return text !== undefined && pathName(text) === name ? text : undefined;
}

/** The text for people: of a truncated name its beginning, and some of the hash. Other names stay. */
export function shownPathName(name: string): string {
  const whole = textOfPathName(name);
  if (whole !== undefined || !CUT.test(name)) return whole ?? name;
  let [start = '', hash = ''] = name.split('~');
  // It may have been cut inside a character.
  while (start.endsWith('+') || decoded(start) === undefined) start = start.slice(0, -1);
  return `${decoded(start)}~${hash.slice(0, SHOWN_DIGITS)}`;
}

function decoded(name: string): string | undefined {
  const escapes = name.replace(/\+([a-z])/g, (_, letter) => letter.toUpperCase());
  return orElse(() => decodeURIComponent(escapes), undefined);
}

/** True if `pathName` may have made it: others may have put anything here. */
export function isPathName(name: string): boolean {
  return textOfPathName(name) !== undefined || CUT.test(name);
}

function escaped(character: string): string {
  if (character >= 'A' && character <= 'Z') return `+${character.toLowerCase()}`;
  const code = character.codePointAt(0) ?? 0;
  // A lone surrogate has no UTF-8 bytes.
  if (code >= 0xd800 && code <= 0xdfff) return `%u${code.toString(16)}`;
  return Buffer.from(character).toString('hex').replace(/../g, '%$&');
}

function sha256(text: string): string {
  // Loaded only here: it is slow to load, and hardly any name is so long.
  const { createHash } = process.getBuiltinModule('node:crypto');
  // UTF-16 can encode lone surrogates.
  return createHash('sha256').update(text, 'utf16le').digest('hex').slice(0, HASH_DIGITS);
}
