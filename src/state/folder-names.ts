/** The name of one version in a folder: its number, and an id that no other attempt at that number has. */
export interface VersionName {
  readonly version: number;
  /** `''` for version 0, which has no file. */
  readonly id: string;
}

/** What the names in a list's folder say. */
export interface FolderReading {
  /** The newest version; undefined if there is no list. */
  readonly head: VersionName | undefined;
  /** All version files, those of attempts that failed or are under way included. */
  readonly versions: readonly VersionName[];
}

const HEAD = /^head-(?:0|([1-9]\d{0,14})-([a-z0-9]+))$/;
const VERSION = /^([1-9]\d{0,14})-([a-z0-9]+)\.json$/;

/** `13-k3j9x2a1.json` holds version 13. */
export function versionFile({ version, id }: VersionName): string {
  return `${version}-${id}.json`;
}

/** `head-13-k3j9x2a1`, an empty file, says that this version 13 is the newest. */
export function headFile({ version, id }: VersionName): string {
  return version === 0 ? 'head-0' : `head-${version}-${id}`;
}

/** Reads a folder's names, in whatever order; others than those above are passed over. */
export function readNames(names: readonly string[]): FolderReading {
  let head: VersionName | undefined;
  const versions: VersionName[] = [];
  for (const name of names) {
    if (!name.startsWith('head-')) {
      const [, version, id = ''] = VERSION.exec(name) ?? [];
      if (version !== undefined) versions.push({ version: Number(version), id });
      continue;
    }
    const [whole, version = 0, id = ''] = HEAD.exec(name) ?? [];
    if (whole === undefined) continue;
    const found = { version: Number(version), id };
    // A folder that is read while the head is renamed may show it under both names.
    if (head === undefined || found.version > head.version) head = found;
  }
  return { head, versions };
}

/** An id that two processes do not come to at the same version. */
export function newId(): string {
  return Math.floor(Math.random() * 36 ** 8)
    .toString(36)
    .padStart(8, '0');
}
