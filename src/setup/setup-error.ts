/** A file that is left as it is. The message says which one, why, and what to do. */
export class SetupError extends Error {
  override readonly name = 'SetupError';
}
