import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolders } from '../make-folders.ts';
import { attempt } from '../state/state-error.ts';

/** Agents whose name is no name of a file have no mark. */
const FILE_NAME = /^[^./\0][^/\0]{0,199}$/;

/** The file that tells the lines of `agent-shell -c` when to renew an agent's leases, by its date, which lies ahead until then. */
export function leaseMark(folder: string, agent: string): string | undefined {
  return FILE_NAME.test(agent) ? join(folder, 'leases~', agent) : undefined;
}

/** Dates the mark. @param ms until the leases are to be renewed; undefined where the agent has none. */
export function dateMark(mark: string, ms: number | undefined, now: Date): void {
  attempt('write', mark, () => {
    if (ms === undefined) return rmSync(mark, { force: true });
    makeFolders(dirname(mark));
    writeFileSync(mark, '', { mode: 0o600 });
    const due = new Date(now.getTime() + ms);
    utimesSync(mark, due, due);
  });
}
