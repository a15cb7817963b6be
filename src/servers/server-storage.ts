import { DamagedVersion, StateError } from '../base/command/state-error.ts';
import { clockMs, pause } from '../base/command/time-limit.ts';
import { isPathName, shownPathName } from '../lists/list-paths.ts';
import {
  type AnyPlace,
  type HistoryRange,
  newId,
  type PlaceOptions,
  type Version,
  wholeOnes,
} from '../lists/place.ts';
import {
  type FoundList,
  type ListStorage,
  REMOVED_THERE,
  type ServerOptions,
  useServers,
} from '../lists/storage.ts';
import type { Engine } from './engine.ts';
import { decodeContent, encodeContent } from './stored-content.ts';
import { VersionWatch } from './version-watch.ts';

/** For programs that may use TODO_STATE_URL. */
export function connectToServers(): void {
  useServers((options) => new ServerStorage(options));
}

/** The lists on the server of TODO_STATE_URL. It is loaded and connected when the first list is used. */
export class ServerStorage implements ListStorage {
  readonly #open: () => Promise<Engine>;
  #engine: Promise<Engine> | undefined;

  constructor(options: ServerOptions) {
    // Programs with lists in files do not load network code.
    this.#open = () => import('./open-engine.ts').then(({ openEngine }) => openEngine(options));
  }

  async name(): Promise<string> {
    return (await this.#connected()).name;
  }

  place<T>(key: string, options: PlaceOptions): AnyPlace<T> {
    return new ServerPlace(() => this.#connected(), key, options);
  }

  async status(): Promise<string[]> {
    const engine = await this.#connected();
    return [`Lists are stored on ${engine.name}.`, ...(await engine.status())];
  }

  async init(): Promise<void> {
    await (await this.#connected()).init();
  }

  async probeWriting(key: string): Promise<void> {
    await (await this.#connected()).probeWriting(key);
  }

  async remove(): Promise<boolean> {
    throw new StateError(REMOVED_THERE);
  }

  async find(key: string): Promise<FoundList[]> {
    return withPaths(await (await this.#connected()).lists(`${key}/`));
  }

  watch(key: string, listener: (changed?: readonly FoundList[]) => void): () => void {
    const prefix = `${key}/`;
    return whenOpen(this.#connected(), (engine) => {
      const announcements = engine.announcements(prefix);
      const fetch = () => engine.lastChange(prefix);
      const watch = new VersionWatch(
        { known: 0, number: 'revision', fetch, announcements },
        (changes) => listener(changes && withPaths(changes)),
      );
      return () => watch.end();
    });
  }

  async close(): Promise<void> {
    const engine = await this.#engine?.catch(() => undefined);
    engine?.close();
  }

  #connected(): Promise<Engine> {
    this.#engine ??= this.#open();
    return this.#engine;
  }
}

/**
 * Backoff between attempts to commit: a lost attempt costs the servers as much as one that succeeds. It is several times what
 * a commit takes there, doubled after each loss. Eight agents on three members of etcd then send 3 requests per claim and make
 * 1.5 times as many claims per second as with a quarter of it, where they send 4.7.
 */
const COMMITS_WAITED = 8;
const MOST_DOUBLINGS = 3;
const LONGEST_PAUSE_MS = 500;

/** A list on the server, which is connected when the list is first used. */
export class ServerPlace<T> implements AnyPlace<T> {
  readonly isFar = true;
  readonly author: string;
  readonly #engine: () => Promise<Engine>;
  readonly #key: string;
  readonly #options: PlaceOptions;
  readonly #watches = new Set<VersionWatch>();
  #losses = 0;
  /** When the next attempt may read, as `clockMs` counts. */
  #nextLook = 0;
  /** The newest version that was read or written here. */
  #known = 0;

  constructor(engine: () => Promise<Engine>, key: string, options: PlaceOptions) {
    this.#engine = engine;
    this.#key = key;
    this.#options = options;
    this.author = options.author;
  }

  async load(): Promise<Version<T> | undefined> {
    const [newest] = await this.history({ newest: 1 });
    this.#known = newest?.version ?? 0;
    return newest;
  }

  async limited<Made>(change: () => Promise<Made>): Promise<Made> {
    return (await this.#engine()).limited(change);
  }

  /** The time between two attempts counts as well: a server may answer at once and never commit. */
  async history(range: HistoryRange = {}): Promise<Version<T>[]> {
    return (await this.#engine()).timed((deadline) => this.#history(range, deadline));
  }

  async #history(range: HistoryRange, deadline: number): Promise<Version<T>[]> {
    const early = Math.min(this.#nextLook, deadline) - clockMs();
    if (early > 0) await pause(early);
    const found = await this.#read(range);
    if (!found.some((version) => version instanceof DamagedVersion)) return found as Version<T>[];
    // A stand-in for a damaged version may be before the range.
    const { newest, from = 1 } = range;
    const all = [...wholeOnes(await this.#read({}))];
    return all.filter(({ version }) => version >= from).slice(0, newest);
  }

  async commit(base: number, content: T, at: Date): Promise<Version<T> | undefined> {
    if (!Number.isSafeInteger(base)) return undefined;
    const engine = await this.#engine();
    const { author: by } = this;
    const { history } = this.#options;
    const id = newId();
    const bytes = encodeContent({ id, at: at.toISOString(), by, content });
    const start = clockMs();
    if (!(await engine.commit(this.#key, { base, bytes, id, history }))) {
      const commits = COMMITS_WAITED * 2 ** Math.min(this.#losses++, MOST_DOUBLINGS);
      const now = clockMs();
      const longest = Math.min(commits * (now - start), LONGEST_PAUSE_MS);
      this.#nextLook = now + longest * (0.5 + Math.random() / 2);
      return undefined;
    }
    this.#losses = 0;
    const version = base + 1;
    this.#known = version;
    for (const watch of [...this.#watches]) watch.committed(version);
    return { version, at, by, content };
  }

  watch(listener: () => void): () => void {
    return whenOpen(this.#engine(), (engine) => {
      const announcements = engine.announcements(`${this.#key}/`);
      const fetch = async () => ({ newest: await engine.newest(this.#key) });
      const watched = { known: this.#known, number: 'version', fetch, announcements } as const;
      const watch = new VersionWatch(watched, () => listener());
      this.#watches.add(watch);
      return () => {
        this.#watches.delete(watch);
        watch.end();
      };
    });
  }

  async #read(range: HistoryRange): Promise<(Version<T> | DamagedVersion)[]> {
    const engine = await this.#engine();
    const newestFirst = await engine.read(this.#key, range);
    return newestFirst.map(({ version, bytes }) => {
      const stored = decodeContent<T>(bytes);
      const what = `${engine.where(this.#key)}: version ${version}`;
      if ('newerFormat' in stored) throw new StateError(`${what} ${stored.newerFormat}`);
      const problem = 'problem' in stored ? stored.problem : this.#options.check?.(stored.content);
      if ('problem' in stored || problem !== undefined) {
        return new DamagedVersion(`${what} is damaged: ${problem}`, version);
      }
      const { at, by, content } = stored;
      return { version, at: new Date(at), by, content };
    });
  }
}

function withPaths(lists: readonly Pick<FoundList, 'key' | 'version'>[]): FoundList[] {
  return lists.flatMap(({ key, version }) => {
    const names = key.split('/');
    if (!names.every(isPathName)) return [];
    return [{ key, version, path: names.map(shownPathName) }];
  });
}

/** Begins as soon as the engine is open. Returns a function that stops it, before or after that. */
function whenOpen(opening: Promise<Engine>, begin: (engine: Engine) => () => void): () => void {
  let hasEnded = false;
  let end = () => {};
  opening.then(
    (engine) => {
      if (!hasEnded) end = begin(engine);
    },
    () => {
      // Reading the list reports why it cannot be opened.
    },
  );
  return () => {
    hasEnded = true;
    end();
  };
}
