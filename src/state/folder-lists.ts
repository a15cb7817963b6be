import { renameSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FilePlace } from './file-place.ts';
import { nodeFileSystem } from './file-system.ts';
import { folderOfKey, namesIn } from './list-paths.ts';
import type { FoundList, Lists, PlaceOptions } from './lists.ts';
import { textOfPathName } from './path-name.ts';
import { attempt } from './state-error.ts';
import { VersionFolder } from './version-folder.ts';
import { watchFolder } from './watch-folder.ts';

/** The lists in a folder. */
export class FolderLists implements Lists {
  readonly isFar = false;
  readonly #folder: () => string;
  readonly #checked: (path: string) => string;

  /**
   * @param folder looked for when it is needed.
   * @param checked throws for a path that a link leads out of.
   */
  constructor(folder: () => string, checked = (path: string) => path) {
    this.#folder = folder;
    this.#checked = checked;
  }

  name(): string {
    return this.#folder();
  }

  place<T>(key: string, options: PlaceOptions): FilePlace<T> {
    return new FilePlace({ folder: this.#checked(this.#folderOf(key)), ...options });
  }

  find(key: string): FoundList[] {
    const names = namesIn(this.#folderOf(key));
    if (key !== 'todos') return names.map((name) => this.#found(`${key}/${name}`));
    return names.flatMap((name) => {
      try {
        return this.find(`${key}/${name}`);
      } catch {
        // Another user's session.
        return [];
      }
    });
  }

  watch(key: string, listener: () => void): () => void {
    const ends = new Map<string, () => void>();
    const folder = this.#folderOf(key);
    const look = () => {
      for (const list of foldersIn(folder)) {
        if (!ends.has(list)) ends.set(list, watchFolder(list, listener));
      }
    };
    const end = watchFolder(folder, () => {
      look();
      listener();
    });
    look();
    return () => {
      end();
      for (const endList of ends.values()) endList();
    };
  }

  remove(key: string, version: number): boolean {
    const folder = this.#checked(this.#folderOf(key));
    // Whoever writes now finds no list, and begins one; whoever has written since is not lost.
    const aside = `${folder}.${Math.random().toString(36).slice(2)}~`;
    return attempt('remove', folder, () => {
      renameSync(folder, aside);
      if ((new VersionFolder(aside, nodeFileSystem).list().head?.version ?? 0) !== version) {
        renameSync(aside, folder);
        return false;
      }
      rmSync(aside, { recursive: true });
      removeIfEmpty(dirname(folder));
      return true;
    });
  }

  checkWriting(): void {}

  close(): void {}

  #folderOf(key: string): string {
    return folderOfKey(this.#folder(), key);
  }

  /** What needs a look at the list itself is looked for when it is asked for. */
  #found(key: string): FoundList {
    const folder = this.#folderOf(key);
    return {
      key,
      path: key.split('/').map((name) => textOfPathName(name) ?? name),
      get version() {
        return new VersionFolder(folder, nodeFileSystem).list().head?.version ?? 0;
      },
      get changedAt() {
        // Each commit renames a file in the folder, which sets its time.
        return statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      },
    };
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It holds other lists.
  }
}

function foldersIn(folder: string): string[] {
  try {
    return namesIn(folder).map((name) => join(folder, name));
  } catch {
    // Who looks for the lists is told that it cannot be read.
    return [];
  }
}
