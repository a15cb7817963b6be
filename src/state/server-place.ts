import type { Engine } from './engines/engine.ts';
import { decodeContent, encodeContent } from './engines/stored-content.ts';
import { VersionWatch } from './engines/version-watch.ts';
import type { PlaceOptions } from './lists.ts';
import { type HistoryRange, newId, type SharedPlace, standIn, type Version } from './place.ts';
import { DamagedVersion } from './state-error.ts';

/** A list on a server, which is connected when the list is first used. */
export class ServerPlace<T> implements SharedPlace<T> {
  readonly isFar = true;
  readonly author: string;
  readonly #engine: () => Promise<Engine>;
  readonly #key: string;
  readonly #options: PlaceOptions;
  readonly #watches = new Set<VersionWatch<number>>();
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

  async history(range: HistoryRange = {}): Promise<Version<T>[]> {
    let found = await this.#read(range);
    // What stands in for a damaged version may be before the range.
    if (found.some((version) => version instanceof DamagedVersion)) {
      const { newest, from = 1 } = range;
      const all = await this.#read({});
      found = all.filter(({ version }) => version >= from).slice(0, newest);
    }
    if (found[0] instanceof DamagedVersion) throw found[0];
    return found.filter((version): version is Version<T> => !(version instanceof DamagedVersion));
  }

  async commit(base: number, content: T, at: Date): Promise<Version<T> | undefined> {
    if (!Number.isSafeInteger(base) || base < 0) return undefined;
    const engine = await this.#engine();
    const { author: by } = this;
    const { history } = this.#options;
    const id = newId();
    const bytes = encodeContent({ id, at: at.toISOString(), by, content });
    if (!(await engine.commit(this.#key, { base, bytes, id, history }))) return undefined;
    const version = base + 1;
    this.#known = version;
    for (const watch of [...this.#watches]) watch.committed(version);
    return { version, at, by, content };
  }

  watch(listener: () => void): () => void {
    return whenOpen(this.#engine(), (engine) => {
      const bell = engine.bell(`${this.#key}/`);
      const newest = () => engine.newest(this.#key);
      const watch = new VersionWatch({ bell, newest, known: this.#known, listener });
      this.#watches.add(watch);
      return () => {
        this.#watches.delete(watch);
        watch.end();
      };
    });
  }

  /** Damaged versions are replaced by the whole one before them, where there is one among these. */
  async #read(range: HistoryRange): Promise<(Version<T> | DamagedVersion)[]> {
    const engine = await this.#engine();
    const newestFirst = await engine.read(this.#key, range);
    let whole: Version<T> | undefined;
    const oldestFirst = newestFirst.toReversed().map(({ version, bytes }) => {
      const stored = decodeContent<T>(bytes);
      const problem = 'problem' in stored ? stored.problem : this.#options.check?.(stored.content);
      if ('problem' in stored || problem !== undefined) {
        const what = `${engine.where(this.#key)}: version ${version} is damaged: ${problem}`;
        const damaged = new DamagedVersion(what, version, 'it is');
        return whole ? standIn(damaged, whole) : damaged;
      }
      const { at, by, content } = stored;
      whole = { version, at: new Date(at), by, content };
      return whole;
    });
    return oldestFirst.reverse();
  }
}

/** Begins something as soon as its engine is open. Returns a function that ends it, before or after. */
export function whenOpen(
  opening: Promise<Engine>,
  begin: (engine: Engine) => () => void,
): () => void {
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
