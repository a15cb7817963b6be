import { statSync } from 'node:fs';
import { join } from 'node:path';
import { FilePlace } from './file-place.ts';
import { nodeFileSystem } from './file-system.ts';
import { folderOfKey, namesIn } from './list-paths.ts';
import type { FoundList, Lists, PlaceOptions } from './lists.ts';
import { textOfPathName } from './path-name.ts';
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

function foldersIn(folder: string): string[] {
  try {
    return namesIn(folder).map((name) => join(folder, name));
  } catch {
    // Who looks for the lists is told that it cannot be read.
    return [];
  }
}
