import type { Place, Version } from './place.ts';
import { StateError } from './state-error.ts';

/**
 * The last seen state of an asynchronous place, for observers that cannot wait. It is updated by `show`, not written.
 */
export class MirrorPlace<T> implements Place<T> {
  readonly author: string;
  readonly #most: number;
  readonly #listeners = new Set<{ listener: () => void }>();
  /** The newest first. */
  #versions: readonly Version<T>[] = [];

  /** @param most how many versions to keep, the newest included. */
  constructor(author: string, most: number) {
    this.author = author;
    this.#most = most;
  }

  load(): Version<T> | undefined {
    return this.#versions[0];
  }

  history(): Iterable<Version<T>> {
    return this.#versions;
  }

  commit(): never {
    throw new StateError('this is a copy of a list on a server; change the list itself');
  }

  watch(listener: () => void): () => void {
    const entry = { listener };
    this.#listeners.add(entry);
    return () => {
      this.#listeners.delete(entry);
    };
  }

  /** Shows the newest version; undefined where the list is no longer there. What is older than what is shown is late news. */
  show(newest: Version<T> | undefined): void {
    const shown = this.load();
    if (newest?.version === shown?.version && +(newest?.at ?? 0) === +(shown?.at ?? 0)) return;
    const isNext = newest !== undefined && newest.version > (shown?.version ?? 0);
    if (isNext) this.#versions = [newest, ...this.#versions].slice(0, this.#most);
    else this.#versions = newest ? [newest] : [];
    for (const { listener } of [...this.#listeners]) listener();
  }
}
