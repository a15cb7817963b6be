import { safeText } from '../safe-text.ts';
import { StateError } from '../state/state-error.ts';
import type { CommandResult } from './agent-command.ts';

const STORAGE_TROUBLE = 3;
const MAX_CHARACTERS = 2000;

/** Does what a command does; trouble with where the list lives becomes exit code 3 and an error that names the file. */
export async function withStorageTrouble(
  title: string,
  action: () => CommandResult | Promise<CommandResult>,
): Promise<CommandResult> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    const reason = safeText(error.message, MAX_CHARACTERS);
    return { stdout: '', stderr: `Error: ${title}\n- ${reason}\n`, exitCode: STORAGE_TROUBLE };
  }
}
