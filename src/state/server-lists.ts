import type { Environment } from '../environment.ts';
import type { Engine } from './engines/engine.ts';
import { isPathName, pathName, textOfPathName } from './path-name.ts';
import type { ContentCheck, HistoryRange, SharedPlace, Version } from './place.ts';

/** A list that was found on a server. */
export interface FoundOnServer {
  /** Its name there, which tells it from all others. */
  readonly key: string;
  /** The names that this is made of, such as `['todos', SESSION, AGENT]`; of one that is too long, what is left of it. */
  readonly path: readonly string[];
  /** The number of its newest version. */
  readonly version: number;
}

/** What a path names, or its key: names that were cut can no longer be told from it. */
type Named = readonly string[] | Pick<FoundOnServer, 'key'>;

/** The lists on the server that TODO_STATE_URL names. It is loaded and connected when the first list is used. */
export class ServerLists {
  readonly #open: () => Promise<Engine>;
  #engine: Promise<Engine> | undefined;

  constructor(options: { url: string; environment: Environment; timeoutMs: number }) {
    // Programs that keep their lists in files do not load network code.
    this.#open = () => import('./engines/engine.ts').then(({ openEngine }) => openEngine(options));
  }

  engine(): Promise<Engine> {
    this.#engine ??= this.#open();
    return this.#engine;
  }

  /** @param list its path, such as `['todos', SESSION, AGENT]` or `['tasks', LIST]`, or one that was found. */
  place<T>(
    list: Named,
    options: { readonly author: string; readonly history: number; readonly check?: ContentCheck },
  ): SharedPlace<T> {
    const key = keyOf(list);
    return new PlaceToCome(options.author, async () =>
      (await this.engine()).place<T>(key, options),
    );
  }

  /** Changes nothing. @throws StateError where the list of this path could not be written. */
  async checkWriting(path: readonly string[]): Promise<void> {
    await (await this.engine()).checkWriting(keyOf(path));
  }

  /** The lists below a path: `['todos']` has those of all sessions, `['todos', SESSION]` those of one. */
  async find(path: Named): Promise<FoundOnServer[]> {
    const found = await (await this.engine()).lists(`${keyOf(path)}/`);
    return found.flatMap((list) => {
      const names = list.key.split('/');
      if (!names.every(isPathName)) return [];
      return [{ ...list, path: names.map((name) => textOfPathName(name) ?? name) }];
    });
  }

  /**
   * Calls back once at the beginning, and soon after any list below a path has changed, come or gone; several changes may
   * be one call. Never throws, and goes on where the server cannot be reached for a while. Returns what ends it.
   */
  watch(path: Named, listener: () => void): () => void {
    return later(this.engine(), (engine) => engine.watch(`${keyOf(path)}/`, listener));
  }

  async close(): Promise<void> {
    // If it could not be opened, there is nothing to close.
    const engine = await this.#engine?.catch(() => undefined);
    await engine?.close();
  }
}

/** A place that is opened when it is first used. */
class PlaceToCome<T> implements SharedPlace<T> {
  readonly author: string;
  readonly #open: () => Promise<SharedPlace<T>>;
  #opened: Promise<SharedPlace<T>> | undefined;

  constructor(author: string, open: () => Promise<SharedPlace<T>>) {
    this.author = author;
    this.#open = open;
  }

  async load(): Promise<Version<T> | undefined> {
    return (await this.#place()).load();
  }

  async history(range?: HistoryRange): Promise<Iterable<Version<T>>> {
    return (await this.#place()).history(range);
  }

  async commit(base: number, content: T, at: Date): Promise<Version<T> | undefined> {
    return (await this.#place()).commit(base, content, at);
  }

  watch(listener: () => void): () => void {
    return later(this.#place(), (place) => place.watch(listener));
  }

  #place(): Promise<SharedPlace<T>> {
    this.#opened ??= this.#open();
    return this.#opened;
  }
}

function keyOf(named: Named): string {
  return 'key' in named ? named.key : named.map(pathName).join('/');
}

/** Begins something as soon as its value is there. Returns a function that ends it, before or after. */
function later<T>(coming: Promise<T>, begin: (value: T) => () => void): () => void {
  let hasEnded = false;
  let end = () => {};
  coming.then(
    (value) => {
      if (!hasEnded) end = begin(value);
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
