import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { clockMs } from '../base/command/time-limit.ts';
import { makeFolders, orElse, readOwnFile, replaceFile } from '../base/system/files.ts';
import { type Task, type TaskGraph, type TaskLease, withTasks } from './task.ts';

/**
 * A clock for leases. Clocks of two machines are never compared: a lease renewed by another clock runs from when this one
 * first saw the renewal.
 */
export interface LeaseClock {
  /** Equal for all processes that share the clock. */
  readonly id: string;
  /** Milliseconds that never go back. */
  readonly now: () => number;
  /** The time of day, in milliseconds. */
  readonly wall: () => number;
  /** How long ago this renewal by another clock was first seen, in milliseconds; 0 if it is new. */
  readonly seenFor: (taskId: number, lease: TaskLease) => number;
}

type Moment = Pick<TaskLease, 'clock' | 'tick' | 'wall'>;

/** Leases are renewed after this long, shorter ones after a third of their time. */
const RENEWAL_MS = 60_000;

/** A new lease, or the next beat of the previous one. */
export function leaseFor(ms: number, clock: LeaseClock, before?: TaskLease): TaskLease {
  return { ms, beat: (before?.beat ?? 0) + 1, ...momentOf(clock) };
}

/** Milliseconds; 0 if the lease has expired, undefined if there is none. */
export function leaseLeft(task: Task, clock: LeaseClock): number | undefined {
  const { lease, status, id } = task;
  if (lease === undefined || status !== 'in_progress') return undefined;
  return Math.max(0, lease.ms - elapsed(id, lease, clock));
}

/** When the lease ends or ended, by the time of day in milliseconds; undefined if there is none. */
export function leaseEnd({ lease, status, id }: Task, clock: LeaseClock): number | undefined {
  if (lease === undefined || status !== 'in_progress') return undefined;
  const end = clock.wall() + lease.ms - elapsed(id, lease, clock);
  return Math.ceil(end / 1000) * 1000;
}

export function isLeaseOver(task: Task, clock: LeaseClock): boolean {
  return leaseLeft(task, clock) === 0;
}

/** Renews an agent's leases that are due. Returns the same graph if none is. */
export function renewLeases(graph: TaskGraph, agent: string, clock: LeaseClock): TaskGraph {
  const renewed: Task[] = [];
  for (const task of graph.tasks.values()) {
    const { lease, owner, status, id } = task;
    if (lease === undefined || owner !== agent || status !== 'in_progress') continue;
    if (elapsed(id, lease, clock) < Math.min(RENEWAL_MS, lease.ms / 3)) continue;
    renewed.push({ ...task, lease: leaseFor(lease.ms, clock, lease) });
  }
  return renewed.length === 0 ? graph : withTasks(graph, renewed);
}

function elapsed(id: number, lease: TaskLease, clock: LeaseClock): number {
  return since(lease, clock) ?? clock.seenFor(id, lease);
}

function momentOf(clock: LeaseClock): Moment {
  return { clock: clock.id, tick: Math.floor(clock.now()), wall: clock.wall() };
}

/**
 * Milliseconds since a moment of this clock; undefined for one of another, or if the clock went back. Machines restored from
 * one snapshot have equal ids and unequal clocks: only what the time of day says, too, has passed.
 */
function since(
  { clock: id, tick, wall = Number.NaN }: Moment,
  clock: LeaseClock,
): number | undefined {
  const passed = Math.min(clock.now() - tick, clock.wall() - wall);
  return id === clock.id && passed >= 0 ? passed : undefined;
}

interface RenewalSeen extends Moment {
  readonly renewal: string;
}

let machineId: string | undefined;

function clockId(): string {
  // Only on Linux. Elsewhere a restart is detected when the clock goes backwards.
  const boot = () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  machineId ??= orElse(boot, '') || process.getBuiltinModule('node:os').hostname();
  return machineId;
}

/**
 * This machine's clock, shared by all of its processes.
 *
 * @param file for the first sightings of renewals by other clocks, so that the next command knows them. Without it, or if
 *   it cannot be written, only this process does.
 */
export function machineClock(file?: () => string): LeaseClock {
  let known: Map<string, RenewalSeen> | undefined;
  const sightings = () => {
    known ??= new Map(file === undefined ? [] : readSightings(file));
    return known;
  };
  const clock: LeaseClock = {
    get id() {
      return clockId();
    },
    now: clockMs,
    wall: () => Date.now(),
    seenFor: (taskId, lease) => {
      const key = String(taskId);
      const renewal = renewalOf(lease);
      const seen = sightings().get(key);
      const passed = seen?.renewal === renewal ? since(seen, clock) : undefined;
      if (passed !== undefined) return passed;
      sightings().set(key, { renewal, ...momentOf(clock) });
      if (file !== undefined) saveSightings(file, sightings());
      return 0;
    },
  };
  return clock;
}

function renewalOf({ beat, tick, clock }: TaskLease): string {
  return `${beat} ${tick} ${clock}`;
}

function readSightings(file: () => string): [string, RenewalSeen][] {
  const entries = (): [string, RenewalSeen][] =>
    Object.entries(JSON.parse(readOwnFile(file()).toString()));
  return orElse(entries, []).filter(([, seen]) => seen?.clock === clockId());
}

function saveSightings(path: () => string, sightings: ReadonlyMap<string, RenewalSeen>): void {
  try {
    const file = path();
    makeFolders(dirname(file));
    replaceFile(file, JSON.stringify(Object.fromEntries(sightings)));
  } catch {
    // Then a lease of another machine expires later, never earlier.
  }
}
