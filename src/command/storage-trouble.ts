import { safeText } from '../safe-text.ts';
import { DamagedVersion, errorCode, type StateError, UnnamedList } from '../state/state-error.ts';
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
 * The result of a command whose list cannot be read or written: an error that names the file.
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
