/** A file cannot be edited and is left alone. The message says which one, why, and what to do. */
export class SetupError extends Error {
  override readonly name = 'SetupError';
}
