import { readFileSync, statSync } from 'node:fs';
import type { Environment } from '../environment.ts';

/** A larger `.env` does not contain settings, and is not read. */
const MAX_ENV_FILE_BYTES = 256 * 1024;

/** One file is enough to remember: a program seldom changes its directory. */
let remembered: { key: string; variables: Environment } | undefined;
/** Always the same object, so that two readings can be compared. */
export const NO_VARIABLES: Environment = {};

/** To look takes a quarter of a call in process, so calls that follow each other share a look. */
const LOOK_MS = 20;
let lastLook: { path: string; at: number; variables: Environment } | undefined;

/**
 * The settings in a `.env`, of those that may be there. It is looked at every 20 ms at most, and read again only when it has
 * changed.
 */
export function readEnvFile(path: string, allowed: ReadonlySet<string>): Environment {
  // Node loads a module for `performance`.
  const now = process.uptime() * 1000;
  if (lastLook?.path !== path || now - lastLook.at >= LOOK_MS) {
    lastLook = { path, at: now, variables: look(path, allowed) };
  }
  return lastLook.variables;
}

function look(path: string, allowed: ReadonlySet<string>): Environment {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat?.isFile() || stat.size > MAX_ENV_FILE_BYTES) return NO_VARIABLES;
    const key = [path, stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs].join(' ');
    if (remembered?.key !== key) {
      // Loaded here, since hardly any folder has the file.
      const { parseEnv } = process.getBuiltinModule('node:util');
      const variables = Object.entries(parseEnv(readFileSync(path, 'utf8')));
      // Nothing else of that file, secrets above all, is kept.
      const own = Object.fromEntries(variables.filter(([name]) => allowed.has(name)));
      remembered = { key, variables: own };
    }
    return remembered.variables;
  } catch {
    // A file that cannot be read is as good as none: the settings are optional.
    return NO_VARIABLES;
  }
}
