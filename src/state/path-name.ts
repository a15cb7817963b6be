/** Longer names are cut; the rest of the room that file systems give (143 to 255 bytes) is for what is put after them. */
const LONGEST = 130;
const KEPT_OF_LONG = 90;
const HASH_DIGITS = 32;
const CUT = /^[a-z0-9%+_-][a-z0-9%+._-]*~[0-9a-f]{32}$/;

/**
 * Makes any text the name of one file or folder, so that two different texts never get the same one, not even if the
 * file system takes upper and lower case, or two ways to compose a letter, for the same.
 *
 * Lower-case letters, digits, `-`, `_` and all dots but the first character stay; `A` becomes `+a`; everything else
 * becomes `%` and its bytes of UTF-8, as in a URL. No name holds a `~` but one that was too long: it is cut, and a hash
 * of the whole follows the `~`.
 */
export function pathName(text: string): string {
  const name = text.replace(/^\.|[^a-z0-9._-]/gu, escaped) || '%';
  return name.length <= LONGEST ? name : `${name.slice(0, KEPT_OF_LONG)}~${sha256(text)}`;
}

/** The text of a name made by `pathName`; undefined if the name was cut, or was not made by it. */
export function textOfPathName(name: string): string | undefined {
  if (name === '%') return '';
  try {
    const text = decodeURIComponent(
      name.replace(/\+([a-z])/g, (_, letter) => letter.toUpperCase()),
    );
    return pathName(text) === name ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Whether `pathName` may have made it: others may have put anything where names are found. */
export function isPathName(name: string): boolean {
  return textOfPathName(name) !== undefined || CUT.test(name);
}

function escaped(character: string): string {
  if (character >= 'A' && character <= 'Z') return `+${character.toLowerCase()}`;
  const code = character.codePointAt(0) ?? 0;
  // UTF-8 has no bytes for half of a pair.
  if (code >= 0xd800 && code <= 0xdfff) return `%u${code.toString(16)}`;
  return Buffer.from(character).toString('hex').replace(/../g, '%$&');
}

function sha256(text: string): string {
  // Loaded only where it is needed: it is slow to load, and hardly any name is so long.
  const { createHash } = process.getBuiltinModule('node:crypto');
  // UTF-16 has bytes for half of a pair too.
  return createHash('sha256').update(text, 'utf16le').digest('hex').slice(0, HASH_DIGITS);
}
