import { readFileSync, statSync } from 'node:fs';
import type { Environment } from '../environment.ts';

/** A larger `.env` is ignored. */
const MAX_ENV_FILE_BYTES = 256 * 1024;

let lastReading: { key: string; variables: Environment } | undefined;
/** Always the same object, so that readings can be compared. */
export const NO_VARIABLES: Environment = {};

/** stat takes a quarter of a call in process, so nearby calls share one. */
const LOOK_MS = 20;
let lastLook: { directory: string; at: number; variables: Environment } | undefined;

/** The allowed settings in a directory's `.env`. Checked every 20 ms at most, and read again only when changed. */
export function readEnvFile(directory: string, isAllowed: (name: string) => boolean): Environment {
  // `performance` would load a module.
  const now = process.uptime() * 1000;
  if (lastLook?.directory !== directory || now - lastLook.at >= LOOK_MS) {
    lastLook = { directory, at: now, variables: variablesOf(`${directory}/.env`, isAllowed) };
  }
  return lastLook.variables;
}

function variablesOf(path: string, isAllowed: (name: string) => boolean): Environment {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat?.isFile() || stat.size > MAX_ENV_FILE_BYTES) return NO_VARIABLES;
    const key = [path, stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs].join(' ');
    if (lastReading?.key !== key) {
      // Loaded only if there is a `.env`.
      const { parseEnv } = process.getBuiltinModule('node:util');
      const all = Object.entries(parseEnv(readFileSync(path, 'utf8').replace(/^\ufeff/, '')));
      // Keep nothing else from that file, least of all secrets.
      const own = Object.fromEntries(all.filter(([name]) => isAllowed(name)));
      lastReading = { key, variables: own };
    }
    return lastReading.variables;
  } catch {
    return NO_VARIABLES;
  }
}
