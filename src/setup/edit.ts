/** A file cannot be edited and is left alone. The message says which one, why, and what to do. */
export class SetupError extends Error {
  override readonly name = 'SetupError';
}

/**
 * One change to the text of a file. `remove(add(text))` is `text`, to the byte; where nothing was, `undefined`, nothing
 * is again. Both may throw a SetupError; then the file is left alone.
 */
export interface Edit {
  /** What is added, for a person to read or paste. */
  readonly shown: string;
  /** The text with the addition; the same text where it is there already. */
  add(text: string | undefined): string;
  /** The text without it. */
  remove(text: string): string | undefined;
}

/** The end of line that a text has; of several kinds, the first. */
export function endOfLine(text: string): '\n' | '\r\n' {
  return /\r\n|\n/.exec(text)?.[0] === '\r\n' ? '\r\n' : '\n';
}
