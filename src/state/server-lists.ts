import type { Environment } from '../environment.ts';
import type { Engine } from './engines/engine.ts';
import type { FoundList, Lists, PlaceOptions } from './lists.ts';
import { isPathName, textOfPathName } from './path-name.ts';
import type { HistoryRange, SharedPlace, Version } from './place.ts';

/** The lists on the server that TODO_STATE_URL names. It is loaded and connected when the first list is used. */
export class ServerLists implements Lists {
  readonly isFar = true;
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

  async name(): Promise<string> {
    return (await this.engine()).name;
  }

  place<T>(key: string, options: PlaceOptions): SharedPlace<T> {
    return new PlaceToCome(options.author, async () =>
      (await this.engine()).place<T>(key, options),
    );
  }

  async checkWriting(key: string): Promise<void> {
    await (await this.engine()).checkWriting(key);
  }

  async find(key: string): Promise<FoundList[]> {
    const found = await (await this.engine()).lists(`${key}/`);
    return found.flatMap((list) => {
      const names = list.key.split('/');
      if (!names.every(isPathName)) return [];
      return [{ ...list, path: names.map((name) => textOfPathName(name) ?? name) }];
    });
  }

  watch(key: string, listener: () => void): () => void {
    return later(this.engine(), (engine) => engine.watch(`${key}/`, listener));
  }

  async close(): Promise<void> {
    // If it could not be opened, there is nothing to close.
    const engine = await this.#engine?.catch(() => undefined);
    await engine?.close();
  }
}

/** A place that is opened when it is first used. */
class PlaceToCome<T> implements SharedPlace<T> {
  readonly isFar = true;
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
