import { safeText } from '../safe-text.ts';
import { DamagedVersion, errorCode, StateError, UnnamedList } from '../state/state-error.ts';
import { inTimeOf, type ServerTime } from '../state/time-limit.ts';
import { type CommandResult, EXIT_CODES } from './agent-command.ts';

const MAX_CHARACTERS = 2000;
/** The titles of commands that change nothing anyway. */
const READS = /^Cannot (read|list|show|check|get|use) /;
/** What a folder says that cannot be written to, or has no room. */
const NOT_WRITABLE = ['EROFS', 'EACCES', 'EPERM', 'ENOTDIR', 'ENOENT', 'ENOSPC', 'EDQUOT'];
const ELSEWHERE =
  '- to keep lists elsewhere, start this program with TODO_STATE_DIR set to a folder with room that you can write to\n';

export function exitCodeOf(error: StateError): number {
  return error instanceof UnnamedList ? EXIT_CODES.wrongUsage : EXIT_CODES.storageTrouble;
}

/**
 * Runs a command's work. Its requests to a server take at most TODO_STATE_TIMEOUT in all; trouble with the list's storage
 * becomes exit code 3 and an error that names the file.
 */
export async function withStorageTrouble(
  title: string,
  settings: ServerTime,
  action: () => CommandResult | Promise<CommandResult>,
): Promise<CommandResult> {
  try {
    return await inTimeOf(settings, action);
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    return storageTrouble(title, error);
  }
}

/**
 * The result of a command whose list cannot be read or written.
 *
 * @param repair what to do about a list of which no version is whole.
 */
export function storageTrouble(title: string, error: StateError, repair?: string): CommandResult {
  const ending = error.isOfReading && !READS.test(title) ? '; nothing was changed' : '';
  const reason = safeText(error.message, MAX_CHARACTERS) + ending;
  const isNotWritable = NOT_WRITABLE.includes(errorCode(error) ?? '');
  const isDamaged = error instanceof DamagedVersion && repair !== undefined;
  const advice = isNotWritable ? ELSEWHERE : isDamaged ? `- ${repair}\n` : '';
  const stderr = `Error: ${title}\n- ${reason}\n${advice}`;
  return { stdout: '', stderr, exitCode: exitCodeOf(error) };
}
