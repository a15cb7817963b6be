import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolders, readOwnFile, replaceFile } from '../system/files.ts';
import type { LeaseClock } from './lease.ts';
import type { TaskLease } from './task.ts';

interface Sighting {
  /** Which renewal was seen. */
  readonly renewal: string;
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
      // Not on Linux. A restart is detected when the clock goes backwards.
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
export function machineClock(file?: () => string): LeaseClock {
  let known: Map<string, Sighting> | undefined;
  const sightings = () => {
    known ??= new Map(file === undefined ? [] : readSightings(file));
    return known;
  };
  return {
    get id() {
      return clockId();
    },
    now,
    firstSeen: (taskId, lease) => {
      const key = String(taskId);
      const renewal = renewalOf(lease);
      const seen = sightings().get(key);
      if (seen?.renewal === renewal && seen.tick <= now()) return seen.tick;
      const tick = now();
      sightings().set(key, { renewal, tick, clock: clockId() });
      if (file !== undefined) saveSightings(file, sightings());
      return tick;
    },
  };
}

/** What no other renewal has, of whatever task in whatever list. */
function renewalOf({ beat, tick, clock }: TaskLease): string {
  return `${beat} ${tick} ${clock}`;
}

/** The clock of this machine for lists that nobody on another machine can change. */
export const OWN_CLOCK = machineClock();

function readSightings(file: () => string): [string, Sighting][] {
  try {
    const value: unknown = JSON.parse(readOwnFile(file()).toString());
    return Object.entries(value as Record<string, Sighting>).filter(
      ([, seen]) =>
        typeof seen?.renewal === 'string' &&
        typeof seen.tick === 'number' &&
        seen.clock === clockId(),
    );
  } catch {
    return [];
  }
}

function saveSightings(path: () => string, sightings: ReadonlyMap<string, Sighting>): void {
  try {
    const file = path();
    makeFolders(dirname(file));
    replaceFile(file, JSON.stringify(Object.fromEntries(sightings)));
  } catch {
    // Then a lease of another machine runs out later, never earlier.
  }
}
