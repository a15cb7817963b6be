/** A file that cannot be edited. The message says which one, why, and what to do. */
export class SetupError extends Error {
  override readonly name = 'SetupError';
}

/**
 * One change to the text of a file. `remove(add(text))` is `text`, byte for byte; for a missing file, both are `undefined`.
 * Both may throw a SetupError; then the file is left alone.
 */
export interface Edit {
  /** The addition, for people to read or paste. */
  readonly shown: string;
  /** The text with the addition; the same text if it is already there. */
  add(text: string | undefined): string;
  /** The text without it. */
  remove(text: string): string | undefined;
}

/** The text's line ending; the first one if they differ. */
export function endOfLine(text: string): '\n' | '\r\n' {
  return /\r\n|\n/.exec(text)?.[0] === '\r\n' ? '\r\n' : '\n';
}
