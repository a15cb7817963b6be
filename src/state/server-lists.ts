import type { Environment } from '../environment.ts';
import type { Engine } from './engines/engine.ts';
import { VersionWatch } from './engines/version-watch.ts';
import { isPathName, textOfPathName } from './list-paths.ts';
import type { FoundList, Lists, PlaceOptions } from './lists.ts';
import type { SharedPlace } from './place.ts';
import { ServerPlace, whenOpen } from './server-place.ts';
import { StateError } from './state-error.ts';

/** The lists on the server that TODO_STATE_URL names. It is loaded and connected when the first list is used. */
export class ServerLists implements Lists {
  readonly isFar = true;
  readonly #open: () => Promise<Engine>;
  #engine: Promise<Engine> | undefined;

  constructor(options: { url: string; environment: Environment; timeoutMs: number }) {
    // Programs that keep their lists in files do not load network code.
    this.#open = () =>
      import('./engines/open-engine.ts').then(({ openEngine }) => openEngine(options));
  }

  engine(): Promise<Engine> {
    this.#engine ??= this.#open();
    return this.#engine;
  }

  async name(): Promise<string> {
    return (await this.engine()).name;
  }

  place<T>(key: string, options: PlaceOptions): SharedPlace<T> {
    return new ServerPlace(() => this.engine(), key, options);
  }

  async checkWriting(key: string): Promise<void> {
    await (await this.engine()).checkWriting(key);
  }

  async remove(): Promise<boolean> {
    throw new StateError('lists on a server are removed there, with its own tools');
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
    const prefix = `${key}/`;
    return whenOpen(this.engine(), (engine) => {
      const newest = () => engine.lastChange(prefix);
      const watch = new VersionWatch({ bell: engine.bell(prefix), newest, known: '', listener });
      return () => watch.end();
    });
  }

  async close(): Promise<void> {
    // If it could not be opened, there is nothing to close.
    const engine = await this.#engine?.catch(() => undefined);
    await engine?.close();
  }
}
