import { MirrorPlace } from '../state/mirror-place.ts';
import { type Awaitable, changeShared, type SharedPlace, type Version } from '../state/place.ts';
import type { Items, TodoItem } from './todo-item.ts';
import { TodoStore } from './todo-store.ts';
import {
  contentBefore,
  contentsOf,
  type SinceOwn,
  sinceOwn,
  type TodoVersion,
  versionsOf,
  type WriteOptions,
} from './todo-version.ts';

/** A list as the commands use it: a store, or a list on a server. All may throw a StateError, or reject with one. */
export interface TodoList {
  /** The list for those who look on and cannot wait: as it is, or as it was last seen. */
  readonly shown: TodoStore;
  /** Who signs what is written through this list. */
  readonly author: string;
  read(): Awaitable<TodoVersion>;
  update(items: readonly TodoItem[], options?: WriteOptions): Awaitable<TodoVersion>;
  /** @returns undefined where the list is no longer at this version. */
  updateIf(
    version: number,
    items: readonly TodoItem[],
    options?: WriteOptions,
  ): Awaitable<TodoVersion | undefined>;
  /** @returns undefined if no list before the newest is kept. */
  undo(): Awaitable<TodoVersion | undefined>;
  /** The versions that are kept, newest first. */
  history(): Awaitable<readonly TodoVersion[]>;
  sinceOwn(): Awaitable<SinceOwn>;
}

/** A list on a server. An in-memory store mirrors what is read and written, for panels and guides. */
export class ServerTodoList implements TodoList {
  readonly shown: TodoStore;
  readonly #place: SharedPlace<Items>;
  readonly #mirror: MirrorPlace<Items>;
  readonly #now: () => Date;

  /** @param history how many versions the place keeps. */
  constructor(place: SharedPlace<Items>, history: number, now: () => Date = () => new Date()) {
    this.#place = place;
    this.#mirror = new MirrorPlace(place.author, history);
    this.#now = now;
    this.shown = new TodoStore(now, this.#mirror);
  }

  get author(): string {
    return this.#place.author;
  }

  async read(): Promise<TodoVersion> {
    return this.#show(await this.#place.load());
  }

  async update(items: readonly TodoItem[], options: WriteOptions = {}): Promise<TodoVersion> {
    const [content, empty] = contentsOf(items, options);
    const written = await changeShared(this.#place, () => ({ content, at: this.#now() }));
    return written ? this.#showWritten(written, empty) : this.shown.get();
  }

  async updateIf(
    version: number,
    items: readonly TodoItem[],
    options: WriteOptions = {},
  ): Promise<TodoVersion | undefined> {
    const [content, empty] = contentsOf(items, options);
    const written = await this.#place.commit(version, content, this.#now());
    return written && this.#showWritten(written, empty);
  }

  async undo(): Promise<TodoVersion | undefined> {
    const undone = await changeShared(this.#place, async (newest) => {
      const content = newest && contentBefore(newest, await this.#place.history());
      return content && { content, at: this.#now() };
    });
    return undone && this.#show(undone);
  }

  async history(): Promise<TodoVersion[]> {
    return versionsOf(await this.#place.history());
  }

  async sinceOwn(): Promise<SinceOwn> {
    return sinceOwn(this.author, await this.#place.history());
  }

  /** Keeps `shown` up to date, whoever changes the list. Returns a function that ends this. */
  follow(): () => void {
    const look = () => {
      this.read().catch(() => {
        // The first command that needs the list will say what is wrong with it.
      });
    };
    look();
    return this.#place.watch(look);
  }

  /** @param empty what comes after it, unless somebody else was quicker. */
  async #showWritten(written: Version<Items>, empty: Items | undefined): Promise<TodoVersion> {
    const shown = this.#show(written);
    const emptied = empty && (await this.#place.commit(written.version, empty, written.at));
    return emptied ? this.#show(emptied) : shown;
  }

  #show(newest: Version<Items> | undefined): TodoVersion {
    this.#mirror.show(newest);
    return this.shown.get();
  }
}
