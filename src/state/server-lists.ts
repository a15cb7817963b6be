import type { Engine } from './engines/engine.ts';
import type { ContentCheck, HistoryRange, SharedPlace, Version } from './place.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** The lists on the server that TODO_STATE_URL names. It is loaded and connected when the first list is used. */
export class ServerLists {
  readonly #open: () => Promise<Engine>;
  #engine: Promise<Engine> | undefined;

  constructor(options: { url: string; environment: Variables; timeoutMs: number }) {
    // Programs that keep their lists in files load no network.
    this.#open = () => import('./engines/engine.ts').then(({ openEngine }) => openEngine(options));
  }

  engine(): Promise<Engine> {
    this.#engine ??= this.#open();
    return this.#engine;
  }

  place<T>(
    path: readonly string[],
    options: { readonly author: string; readonly history: number; readonly check?: ContentCheck },
  ): SharedPlace<T> {
    return new PlaceToCome(options.author, async () =>
      (await this.engine()).place<T>(path, options),
    );
  }

  async close(): Promise<void> {
    // What could not be opened has nothing to close.
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
    let hasEnded = false;
    let end = () => {};
    this.#place().then(
      (place) => {
        if (!hasEnded) end = place.watch(listener);
      },
      () => {
        // Whoever reads the list is told why it cannot be opened.
      },
    );
    return () => {
      hasEnded = true;
      end();
    };
  }

  #place(): Promise<SharedPlace<T>> {
    this.#opened ??= this.#open();
    return this.#opened;
  }
}
