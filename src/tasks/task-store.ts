import type { LogPlace } from '../state/log-place.ts';
import { MemoryPlace } from '../state/memory-place.ts';
import { type Awaitable, whenDone } from '../state/place.ts';
import { withNotices } from './inbox.ts';
import type { LeaseClock } from './lease.ts';
import { OWN_CLOCK } from './lease-clock.ts';
import type { Reason, Refused } from './reasons.ts';
import { NO_TASKS, type TaskGraph } from './task.ts';
import type { TaskStep } from './task-steps.ts';

/** One version of a list of tasks. */
export interface TaskVersion {
  /** 1 for the first change, and one more each time; 0 for a list that was never written. */
  readonly version: number;
  readonly graph: TaskGraph;
}

/** Where a list of tasks can live: a file holds no Map, so elsewhere than in memory it is kept as a log of changes. */
export type TaskPlace = MemoryPlace<TaskGraph> | LogPlace<TaskGraph, TaskStep>;

/** The list before and after one change. */
export interface LastChange {
  readonly before: TaskGraph;
  readonly after: TaskGraph;
  /** The version that it made. */
  readonly version: number;
}

/** A change that was made, and the version that it made; the version that it found, where there was nothing to do. */
export interface Done<Change> {
  readonly change: Change;
  readonly version: number;
}

/** Why a change was not made, and the version of the list for which that holds. */
export interface NotDone extends Refused {
  readonly version: number;
}

/** Enough to see what has happened, and to undo it. */
const VERSIONS_IN_MEMORY = 100;

/** So that of many that want to change the list at once, not all do the work of an attempt at the same time. */
const LONGEST_PAUSE_MS = 20;

/**
 * A server has the work of each attempt, and the lost ones hold up the others. There the pause doubles with each loss, so
 * often: eight agents on three members of etcd then need 2.4 attempts a claim, where they needed 4.
 */
const MOST_DOUBLINGS = 4;

/**
 * Holds one list of tasks, which any number of processes may share.
 *
 * Each change is computed from one version and committed as the next, or computed again from what came in between. So
 * no change is lost, no task is claimed twice, and a process that is killed leaves nothing locked. Whatever reads or
 * writes may throw a StateError.
 */
export class TaskStore {
  /** What measures its leases. */
  readonly clock: LeaseClock;
  readonly #place: TaskPlace;
  readonly #now: () => Date;
  #objection: ((graph: TaskGraph) => Reason | undefined) | undefined;
  #lastChange: LastChange | undefined;
  #seen: TaskVersion = { version: 0, graph: NO_TASKS };
  #isFollowed = false;
  #isOnServer = false;

  /**
   * @param place Where the list lives; in memory, empty, unless given. `openTaskStore` opens one in files.
   * @param now The time; that of the machine unless given.
   * @param clock For leases; that of the machine unless given.
   */
  constructor(
    place: TaskPlace = new MemoryPlace({ history: VERSIONS_IN_MEMORY }),
    now: () => Date = () => new Date(),
    clock: LeaseClock = OWN_CLOCK,
  ) {
    this.#place = place;
    this.#now = now;
    this.clock = clock;
  }

  /** The same list, on which no change is made as long as there is a reason against it. */
  objectedBy(objection: (graph: TaskGraph) => Reason | undefined): TaskStore {
    const store = new TaskStore(this.#place, this.#now, this.clock);
    store.#objection = objection;
    return store;
  }

  /** The last change that an agent made through this store, not by another process. */
  get lastChange(): LastChange | undefined {
    return this.#lastChange;
  }

  /** The list as it is. A later change does not alter what was returned. */
  read(): Awaitable<TaskVersion> {
    const loaded = this.#place.load();
    return whenDone(loaded, (newest) => {
      const { version = 0, content: graph = NO_TASKS } = newest ?? {};
      this.#seen = { version, graph };
      this.#isOnServer = loaded instanceof Promise;
      return this.#seen;
    });
  }

  /** The same for whoever cannot wait: a list on a server is followed from now on, and is as it was seen last. */
  get(): TaskVersion {
    if (this.#isFollowed) return this.#seen;
    const now = this.read();
    if (!(now instanceof Promise)) return now;
    this.#isFollowed = true;
    // Who has to know whether it can be read reads it.
    now.catch(() => {});
    this.onChange(() => {});
    return this.#seen;
  }

  /** The same for whoever asks often: a list on a server that was read, or is followed, is not read again. */
  recent(): Awaitable<TaskVersion> {
    return this.#isFollowed || this.#isOnServer ? this.#seen : this.read();
  }

  /** The versions that are kept, newest first, and when each was made. */
  history(): Awaitable<readonly (TaskVersion & { readonly at: Date })[]> {
    return whenDone(this.#place.history(), (versions) =>
      Array.from(versions, ({ version, content: graph, at }) => ({ version, graph, at })),
    );
  }

  /**
   * Makes one change.
   *
   * @param plan computes it from the list as it is; called again where another change came in between.
   * @param approve may refuse what was planned, which is then not made.
   * @param by the agent that makes it: all others whom it concerns get a notice. Without it nobody does.
   */
  async change<Change extends { readonly graph: TaskGraph }>(
    plan: (graph: TaskGraph, at: string) => Change | Refused,
    approve?: (change: Change) => Promise<Reason | undefined>,
    by?: string,
  ): Promise<Done<Change> | NotDone> {
    for (let losses = 0; ; losses++) {
      const { version, graph } = await this.read();
      const at = this.#now();
      const objection = this.#objection?.(graph);
      if (objection) return { refused: [objection], version };
      const change = plan(graph, at.toISOString());
      if ('refused' in change) return { ...change, version };
      if (change.graph === graph) return { change, version };
      const reason = await approve?.(change);
      if (reason) return { refused: [reason], version };
      const { by: _, ...unsigned } = change.graph;
      const after =
        by === undefined ? unsigned : { ...withNotices(graph, unsigned, by, at.toISOString()), by };
      const committed = await this.#place.commit(version, after, at);
      if (committed) {
        this.#seen = { version: committed.version, graph: after };
        const { version: made } = committed;
        if (by !== undefined) this.#lastChange = { before: graph, after, version: made };
        return { change, version: made };
      }
      const doublings = this.#isOnServer ? Math.min(losses, MOST_DOUBLINGS) : 0;
      await pause(Math.random() * LONGEST_PAUSE_MS * 2 ** doublings);
    }
  }

  /** Calls back soon after the list has changed, whoever changed it. Returns what ends it. */
  onChange(listener: () => void): () => void {
    return this.#place.watch(() => {
      const now = this.read();
      if (now instanceof Promise) now.then(listener, listener);
      else listener();
    });
  }
}

/** Node's own would be one more module that each start of a command loads. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
