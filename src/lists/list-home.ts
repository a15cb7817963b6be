import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { attempt, StateError, UnnamedList } from '../base/command/state-error.ts';
import { type Environment, harnessSession } from '../base/environment.ts';
import { safeText } from '../base/safe-text.ts';
import { readSettings, type Settings, type SettingsReading } from '../base/settings/settings.ts';
import { isClosedFolder, isTrusted, ofOther } from '../base/system/access.ts';
import { appendOwnFile, isShared, makeFolders, orElse, readOwnFile } from '../base/system/files.ts';
import { isTracked } from './git-index.ts';
import {
  agentOfHarness,
  beginningFile,
  folderOfKey,
  homeFolder,
  type ListName,
  listKey,
  listNamesIn,
  pathName,
  projectFolder,
  sessionKey,
  stateFolder,
  taskListKey,
  textOfPathName,
  workTreeOf,
} from './list-paths.ts';
import { DEFAULT_AGENT } from './place.ts';
import {
  connectServer,
  FolderStorage,
  hasKnownScheme,
  type ListStorage,
  OTHER_SCHEME,
} from './storage.ts';

const NAME_THE_SESSION =
  'with TODO_STATE_URL you must name the session, since a folder means a different place on each machine: set TODO_SESSION, or give --session NAME';
const NAME_THE_TEAM =
  'with TODO_STATE_URL you must name the team or the session, since a folder means a different place on each machine: set TODO_TEAM or TODO_SESSION, or give --list NAME';

/** Replaces a state folder that git tracks. No session has this name: theirs do not end in `~`. */
const UNTRACKED = 'untracked~';

const NAME_OTHERWISE =
  'the path of this folder, or a name that was set, is not UTF-8, so it cannot name a list: set TODO_SESSION, TODO_AGENT or TODO_TEAM to another name';
const STORE_ELSEWHERE =
  'the path of the folder of lists is not UTF-8: set TODO_STATE_DIR to another one';

/** Node replaces bytes that are not UTF-8 with U+FFFD, so two such names could be the same list. */
function certain(name: string, problem = NAME_OTHERWISE): string {
  if (name.includes('\ufffd')) throw new StateError(problem);
  return name;
}

export class ListHome {
  readonly settings: Settings;
  readonly around: { readonly environment: Environment; readonly cwd: string };
  readonly #directory: string | undefined;
  readonly #reading: SettingsReading;
  #folder: string | undefined;
  #storage: ListStorage | undefined;

  /** @param directory undefined if it has been deleted. */
  constructor(
    environment: Environment,
    directory: string | undefined,
    reading: SettingsReading = readSettings(environment, directory),
  ) {
    this.around = { environment, cwd: directory ?? '/' };
    this.#directory = directory;
    this.#reading = reading;
    this.settings = reading.settings;
  }

  /**
   * The folder of lists in files. Files in a TODO_STATE_DIR that git tracks came with a repository and are no lists; then
   * this is a subfolder. @throws StateError if git tracks that one too.
   */
  get folder(): string {
    this.#folder ??= this.#findFolder();
    return this.#folder;
  }

  get reading(): SettingsReading {
    return this.warned(this.#reading);
  }

  /** Adds the warnings about the folder. If that cannot be found, the command itself reports it. */
  warned(reading: SettingsReading): SettingsReading {
    const ofFolder = orElse(() => this.warnings, []);
    return { ...reading, warnings: [...reading.warnings, ...ofFolder], ofFolder };
  }

  get warnings(): readonly string[] {
    const isAsSet = this.settings.stateDir === undefined || this.#isOnServer;
    if (isAsSet || !this.folder.endsWith(`/${UNTRACKED}`)) return [];
    const tracked = dirname(this.folder);
    return [
      `Warning: git tracks files in ${safeText(tracked)}, so they are ignored; your lists are in ${UNTRACKED} there. If the tracked ones are yours: git rm -r --cached, and add the folder to .gitignore`,
    ];
  }

  /**
   * Returns a path in `folder`. @throws StateError if a symbolic link leads out of it, as in a state folder that a cloned
   * repository contains, or if it is another user's, unless they share the folder on purpose.
   */
  trusted(path: string): string {
    const { stateDir } = this.settings;
    const isInWorkTree = stateDir !== undefined && !isAbsolute(stateDir);
    for (const part of upTo(isInWorkTree ? this.#root : this.folder, path)) {
      if (isLink(part)) {
        throw new StateError(
          `${part} is a symbolic link, which lists do not follow: remove it, or set TODO_STATE_DIR to where it leads`,
        );
      }
    }
    // One command of the advice mends all below it.
    for (const part of [...upTo(this.folder, path), this.folder].reverse()) {
      const problem = this.#isOurs(part) ? undefined : ofOther(part);
      if (problem)
        throw new StateError(`${part} ${problem}, or set TODO_STATE_DIR to another folder`);
    }
    return path;
  }

  get storage(): ListStorage {
    const { stateUrl: url, stateTimeout } = this.settings;
    const options = { environment: this.around.environment, timeoutMs: stateTimeout * 1000 };
    this.#storage ??=
      url === undefined ? new FolderStorage(this) : connectServer({ url, ...options });
    return this.#storage;
  }

  /**
   * Completes a name from the settings; the defaults are the work tree and the agent `main`. In a work tree each session of
   * a harness has its own lists, which it finds from every directory; a named session is shared.
   */
  name(
    partial: Partial<ListName>,
    settings: Pick<Settings, 'session' | 'agent'> = this.settings,
  ): ListName {
    const { session = settings.session, agent = settings.agent ?? DEFAULT_AGENT } = partial;
    if (session !== undefined) return { session: certain(session), agent: certain(agent) };
    const own = certain(agentOfHarness(agent, this.around.environment));
    const here = this.#beginningOf(own) ?? this.#sessionHere(NAME_THE_SESSION);
    return { session: certain(here), agent: own };
  }

  /** The key of the team's list: of this name, else by the settings, else of the work tree. */
  teamKey(
    name?: string,
    { taskList, session }: Pick<Settings, 'session' | 'taskList'> = this.settings,
  ): string {
    return taskListKey(certain(name ?? taskList ?? session ?? this.#sessionHere(NAME_THE_TEAM)));
  }

  /** The paths in `folder` of the heads of the caller's lists, up to the version's number. */
  headStarts(settings: Settings): { readonly todos: string; readonly tasks: string } {
    const start = (key: string) => `${folderOfKey('', key)}/head-`;
    return {
      todos: start(listKey(this.name({}))),
      tasks: start(this.teamKey(undefined, settings)),
    };
  }

  /** Call this before the first version of a list is written: then the harness's session finds it from every directory. */
  noteBeginning({ session, agent }: ListName): void {
    if (!this.isOfHarness(agent)) return;
    const path = this.trusted(beginningFile(this.folder, agent));
    attempt('write', path, () => {
      makeFolders(dirname(path));
      appendOwnFile(path, `${JSON.stringify(session)}\n`);
    });
  }

  async close(): Promise<void> {
    await this.#storage?.close();
  }

  get #isOnServer(): boolean {
    return this.settings.stateUrl !== undefined;
  }

  #isOurs(path: string): boolean {
    if (isClosedFolder(path)) return false;
    return path === this.folder || isTrusted(path, this.folder) || isShared(this.folder);
  }

  #findFolder(): string {
    const { stateDir } = this.settings;
    const found = stateFolder(stateDir, this.around.environment, this.#root);
    const folder = certain(found, STORE_ELSEWHERE);
    if (stateDir === undefined || !isTracked(folder)) return folder;
    const untracked = `${folder}/${UNTRACKED}`;
    if (!isTracked(untracked)) return untracked;
    throw new StateError(
      `git tracks files in ${folder} and in ${untracked}, so they are ignored: git rm -r --cached both, and add them to .gitignore, or set TODO_STATE_DIR to another folder`,
    );
  }

  /** The folder in which a relative TODO_STATE_DIR is. */
  get #root(): string {
    const { stateDir } = this.settings;
    const directory = this.#directory ?? '/';
    if (stateDir === undefined || isAbsolute(stateDir)) return directory;
    return this.#projectOf(directory, (folder) => isTrusted(`${folder}/${stateDir}`));
  }

  /** The work tree or, without git, the nearest folder that `has` lists, so that `cd src` does not change the list. */
  #projectOf(directory: string, has: (folder: string) => boolean): string {
    const tree = workTreeOf(directory);
    if (tree !== undefined) return tree;
    const home = orElse(() => realpathSync(homeFolder(this.around.environment)), '');
    return projectFolder(directory, home, has) ?? directory;
  }

  #hasLists(folder: string): boolean {
    const own = folderOfKey(this.folder, sessionKey(folder));
    const isTeam = existsSync(folderOfKey(this.folder, taskListKey(folder)));
    return isTeam || orElse(() => listNamesIn(own), []).length > 0;
  }

  /** The session in which the list of a harness's agent began. If several did at once, the first line counts. */
  #beginningOf(agent: string): string | undefined {
    if (this.#isOnServer || !this.isOfHarness(agent)) return undefined;
    const path = beginningFile(this.folder, agent);
    // 1. Most sessions have no list yet.
    if (!existsSync(path) && existsSync(dirname(path))) return undefined;
    // 2. The file names the session.
    const [line = ''] = orElse(() => readOwnFile(this.trusted(path)).toString().split('\n'), []);
    const session: unknown = orElse(() => JSON.parse(line), undefined);
    if (typeof session === 'string') return session;
    // 3. It is lost or damaged: some session holds the list.
    const holding = listNamesIn(this.folder).find((name) =>
      existsSync(folderOfKey(this.folder, `todos/${name}/${pathName(agent)}`)),
    );
    return holding === undefined ? undefined : textOfPathName(holding);
  }

  protected isOfHarness(agent: string): boolean {
    const id = harnessSession(this.around.environment);
    return id !== undefined && agent.endsWith(`@${id}`);
  }

  /** @param unnamed the error for a server. */
  #sessionHere(unnamed: string): string {
    if (this.#isOnServer) {
      // The first fault, or the next error would be about the URL.
      if (!hasKnownScheme(this.settings.stateUrl ?? '')) throw new StateError(OTHER_SCHEME);
      throw new UnnamedList(unnamed);
    }
    if (this.#directory !== undefined)
      return this.#projectOf(this.#directory, (folder) => this.#hasLists(folder));
    throw new StateError(
      'the current directory was deleted, so it names no list: cd to another one',
    );
  }
}

/** The path and its parents within the folder, from the path up. */
function* upTo(folder: string, path: string): Generator<string> {
  for (let part = path; part.startsWith(`${folder}/`); part = dirname(part)) yield part;
}

/** False where nobody can look: reading or writing there fails with a better error. */
function isLink(path: string): boolean {
  return orElse(() => lstatSync(path).isSymbolicLink(), false);
}
