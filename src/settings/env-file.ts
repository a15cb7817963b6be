import { readFileSync, statSync } from 'node:fs';
import type { Environment } from '../environment.ts';

/**
 * A `.env` comes with whatever repository a command happens to run in. It may set limits, guidance and what is shown,
 * but not where lists live, whose they are, how much of them is kept, or which programs run.
 */
const FILE_MAY_SET = new Set([
  'TODO_MAX_ITEMS',
  'TODO_MAX_CONTENT_LENGTH',
  'TODO_CLEAR_WHEN_DONE',
  'TODO_GUIDANCE',
  'TODO_REMINDER_TURNS',
  'TODO_ONE_TASK_PER_AGENT',
  'TODO_REQUIRE_PROOF',
  'TODO_PROOF_TIMEOUT',
  'TODO_TASKS',
]);

/** A larger `.env` does not contain settings, and is not read. */
const MAX_ENV_FILE_BYTES = 256 * 1024;

/** One file is enough to remember: a program seldom changes its directory. */
let remembered: { key: string; variables: Environment } | undefined;
/** Always the same object, so that two readings can be compared. */
export const NO_VARIABLES: Environment = {};

/** The settings in a `.env`. It is read again only when it has changed. */
export function readEnvFile(path: string): Environment {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat?.isFile() || stat.size > MAX_ENV_FILE_BYTES) return NO_VARIABLES;
    const key = [path, stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs].join(' ');
    if (remembered?.key !== key) {
      // Loaded here, since hardly any folder has the file.
      const { parseEnv } = process.getBuiltinModule('node:util');
      remembered = { key, variables: settingsOf(parseEnv(readFileSync(path, 'utf8'))) };
    }
    return remembered.variables;
  } catch {
    // A file that cannot be read is as good as none: the settings are optional.
    return NO_VARIABLES;
  }
}

/** Only these are read, so that nothing else of that file, secrets above all, is kept. */
function settingsOf(variables: Environment): Environment {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => FILE_MAY_SET.has(name)));
}
