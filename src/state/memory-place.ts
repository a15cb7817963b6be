import { DEFAULT_AGENT, DEFAULT_HISTORY, type Place, type Version } from './place.ts';

/** A place that ends with the process. Content is kept as given, not copied. */
export class MemoryPlace<T> implements Place<T> {
  readonly author: string;
  readonly #history: number;
  readonly #listeners = new Set<{ listener: () => void }>();
  /** The newest last. */
  readonly #versions: Version<T>[] = [];

  constructor({ author = DEFAULT_AGENT, history = DEFAULT_HISTORY } = {}) {
    this.author = author;
    this.#history = history;
  }

  load(): Version<T> | undefined {
    return this.#versions.at(-1);
  }

  history(): Iterable<Version<T>> {
    return this.#versions.toReversed();
  }

  commit(base: number, content: T, at: Date): Version<T> | undefined {
    if (base !== (this.load()?.version ?? 0)) return undefined;
    const version = Object.freeze({ version: base + 1, at, by: this.author, content });
    this.#versions.push(version);
    if (this.#versions.length > this.#history) this.#versions.shift();
    for (const { listener } of [...this.#listeners]) listener();
    return version;
  }

  watch(listener: () => void): () => void {
    const entry = { listener };
    this.#listeners.add(entry);
    return () => {
      this.#listeners.delete(entry);
    };
  }
}
