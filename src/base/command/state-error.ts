import { ofOther } from '../system/access.ts';
import { codeOf } from '../system/files.ts';

/**
 * A list cannot be read or written: the disk is full, a folder is not accessible, a file is damaged. The message names
 * the file and the trouble. A command that meets one ends with exit code 3.
 */
export class StateError extends Error {
  override readonly name = 'StateError';
  /** True if a server could not be read; then nothing was changed. */
  readonly isOfReading: boolean;

  constructor(
    message: string,
    { isOfReading = false, ...options }: ErrorOptions & { isOfReading?: boolean } = {},
  ) {
    super(message, options);
    this.isOfReading = isOfReading;
  }
}

/** A version is missing, or not what was stored. */
export class DamagedVersion extends StateError {
  readonly version: number;

  constructor(message: string, version: number) {
    super(message);
    this.version = version;
  }
}

/** The settings name no list, as for a server without a session: exit code 2. The message says what to set. */
export class UnnamedList extends StateError {}

/** A server may or may not have made a change, and nothing can tell. @param why with the server's name. */
export function notKnown(why: string, cause?: StateError): StateError {
  return new StateError(
    `not known whether the change was made: ${why}; read the list before you try again`,
    { cause },
  );
}

/** Turns errors of one operation on one file into a StateError. */
export function attempt<T>(action: string, path: string, operation: () => T): T {
  try {
    return operation();
  } catch (error) {
    throw failure(action, path, error);
  }
}

/** `cannot write /path: ENOSPC: no space left ...` */
export function failure(action: string, path: string, cause: unknown): StateError {
  const isDenied = ['EACCES', 'EPERM'].includes(codeOf(cause) ?? '');
  const owner = isDenied ? ofOther(path) : undefined;
  const problem = `${(cause as Error).message}${owner ? `; it ${owner}` : ''}`;
  return new StateError(`cannot ${action} ${path}: ${problem}`, { cause });
}

/** The system's error code, such as `ENOENT`, also if `attempt` has wrapped it. */
export function errorCode(error: unknown): string | undefined {
  return codeOf(error instanceof StateError ? error.cause : error);
}
