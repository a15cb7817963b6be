import { codeOf } from '../system/files.ts';

/**
 * A list cannot be read or written: the disk is full, a folder is not accessible, a file is damaged. The message names
 * the file and the trouble. A command that meets one ends with exit code 3.
 */
export class StateError extends Error {
  override readonly name = 'StateError';
  /** Whether it came up when a server was read: whatever was to be done then, nothing was changed. */
  readonly isOfReading: boolean;

  constructor(
    message: string,
    { isOfReading = false, ...options }: ErrorOptions & { isOfReading?: boolean } = {},
  ) {
    super(message, options);
    this.isOfReading = isOfReading;
  }
}

/** A version is not what it was when it was stored, or not there any more. */
export class DamagedVersion extends StateError {
  readonly version: number;
  /** As that of `Damage`. */
  readonly keptAs: string | undefined;

  constructor(message: string, version: number, keptAs?: string) {
    super(message);
    this.version = version;
    this.keptAs = keptAs;
  }
}

/** The settings name no list, as a server without a session does: exit code 2. The message says what to set. */
export class UnnamedList extends StateError {}

/** A server may or may not have made a change, and there is no way to find out. @param why with the server's name. */
export function notKnown(why: string): StateError {
  return new StateError(
    `not known whether the change was made: ${why}; read the list before you try again`,
  );
}

/** Does one thing to one file. What it throws becomes a StateError. */
export function attempt<T>(action: string, path: string, operation: () => T): T {
  try {
    return operation();
  } catch (error) {
    throw failure(action, path, error);
  }
}

/** The error for one thing that could not be done to one file: `cannot write /path: ENOSPC: no space left ...`. */
export function failure(action: string, path: string, cause: unknown): StateError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new StateError(`cannot ${action} ${path}: ${reason}`, { cause });
}

/** The code of the system's error, such as `ENOENT`, also if `attempt` has wrapped it. */
export function errorCode(error: unknown): string | undefined {
  return codeOf(error instanceof StateError ? error.cause : error);
}
