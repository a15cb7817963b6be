import { resolve } from 'node:path';
import { runProgram, type Surroundings } from '../proof/run-program.ts';
import { safeText } from '../safe-text.ts';
import { isProgram } from '../system/find-program.ts';
import { because, type Reason } from './reasons.ts';
import type { Task } from './task.ts';

export type HookName = 'task-created' | 'task-completed';

/** The directory and environment that hooks run in. */
export interface HookSurroundings extends Surroundings {
  /** How long one may take, in milliseconds; 30,000 unless given. */
  readonly limitMs?: number;
}

const LIMIT_MS = 30_000;
const MAX_REASON_CHARACTERS = 1000;

/**
 * Runs the hook of that name, with the caller and the tasks as they would be after a change as one line of JSON on its
 * standard input. Exit code 0 accepts the change, any other refuses it. A missing or non-executable file is ignored.
 *
 * @param directory the folder of the hooks; undefined if there is none.
 * @returns why the change is refused; undefined if it may be made.
 */
export async function askHook(
  name: HookName,
  change: { readonly agent: string; readonly tasks: readonly Task[] },
  directory: string | undefined,
  around: HookSurroundings,
): Promise<Reason | undefined> {
  if (directory === undefined) return undefined;
  const path = resolve(around.cwd, directory, name);
  if (!isProgram(path)) return undefined;
  const input = `${JSON.stringify({ event: name, ...change })}\n`;
  const { exitCode, words, said } = await runProgram([path], {
    limitMs: LIMIT_MS,
    ...around,
    input,
    keep: 'beginning',
  });
  if (exitCode === 0) return undefined;
  const why = exitCode === undefined ? words : said || words;
  return because('refused_by_hook', name, safeText(why, MAX_REASON_CHARACTERS));
}
