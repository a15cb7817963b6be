import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolders } from '../make-folders.ts';
import { readOwnFile } from '../state/own-files.ts';
import type { LeaseClock } from './lease.ts';

interface Sighting {
  readonly beat: number;
  /** Milliseconds on the clock that `clock` names. */
  readonly tick: number;
  readonly clock: string;
}

let id: string | undefined;

/** What distinguishes this machine's clock, since it was started, from all others. */
function clockId(): string {
  if (id === undefined) {
    let boot = '';
    try {
      boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    } catch {
      // Not on Linux. A clock that has begun again is found out by its going back.
    }
    id = boot || process.getBuiltinModule('node:os').hostname();
  }
  return id;
}

const now = (): number => Number(process.hrtime.bigint() / 1_000_000n);

/**
 * The clock of this machine: one for all of its processes.
 *
 * @param file where to record when renewals by other clocks were first seen, for the next command. Without it, or if it
 *   cannot be written, only this process knows.
 */
export function machineClock(file?: string): LeaseClock {
  let known: Map<string, Sighting> | undefined;
  const sightings = () => {
    known ??= new Map(file === undefined ? [] : readSightings(file));
    return known;
  };
  return {
    id: clockId(),
    now,
    firstSeen: (taskId, beat) => {
      const key = String(taskId);
      const seen = sightings().get(key);
      if (seen?.beat === beat && seen.clock === clockId() && seen.tick <= now()) return seen.tick;
      const tick = now();
      sightings().set(key, { beat, tick, clock: clockId() });
      if (file !== undefined) saveSightings(file, sightings());
      return tick;
    },
  };
}

function readSightings(file: string): [string, Sighting][] {
  try {
    const value: unknown = JSON.parse(readOwnFile(file).toString());
    return Object.entries(value as Record<string, Sighting>).filter(
      ([, seen]) =>
        typeof seen?.beat === 'number' && typeof seen.tick === 'number' && seen.clock === clockId(),
    );
  } catch {
    return [];
  }
}

function saveSightings(file: string, sightings: ReadonlyMap<string, Sighting>): void {
  try {
    makeFolders(dirname(file));
    const unfinished = `${file}.${process.pid}`;
    rmSync(unfinished, { force: true });
    writeFileSync(unfinished, JSON.stringify(Object.fromEntries(sightings)), {
      mode: 0o600,
      flag: 'wx',
    });
    renameSync(unfinished, file);
  } catch {
    // Then a lease of another machine runs out later, never earlier.
  }
}
