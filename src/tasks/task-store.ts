import { StateError } from '../base/command/state-error.ts';
import type { Environment } from '../base/environment.ts';
import { mustHave } from '../base/given.ts';
import { Document, type DocumentView } from '../lists/document.ts';
import { ListHome } from '../lists/list-home.ts';
import { ENTRIES_KEPT, type LogEntry, LogPlace } from '../lists/log-place.ts';
import { type Awaitable, maybeAsync } from '../lists/maybe-async.ts';
import { DEFAULT_AGENT, MemoryPlace, type Version } from '../lists/place.ts';
import { FolderStorage, type ListStorage } from '../lists/storage.ts';
import { withNotices } from './inbox.ts';
import { type LeaseClock, machineClock } from './lease.ts';
import type { Reason, Refused } from './reasons.ts';
import { storedEntryProblem, TASK_STEPS, type TaskStep } from './stored-tasks.ts';
import { NO_TASKS, openBlockers, type Task, type TaskGraph } from './task.ts';

/** One version of a list of tasks. */
export interface TaskVersion {
  /** 1 for the first change, and one more each time; 0 for a list that was never written. */
  readonly version: number;
  readonly graph: TaskGraph;
  readonly at: Date;
  /** Why an older version stands in for this one. */
  readonly damage?: string;
}

/** Where a list of tasks can live: in files and on servers as a log of changes, since JSON has no Map. */
export type TaskPlace = MemoryPlace<TaskGraph> | LogPlace<TaskGraph, TaskStep>;

/** The list before and after one change. */
export interface LastChange {
  readonly before: TaskGraph;
  readonly after: TaskGraph;
  readonly version: number;
}

/** A change that was made, and its version; the version found, if there was nothing to do. */
export interface Done<Change> {
  readonly change: Change;
  readonly version: number;
}

/** Why a change was not made to this version. */
export interface NotDone extends Refused {
  readonly version: number;
}

/** For TaskList --history and TaskUndo. */
const VERSIONS_IN_MEMORY = 100;

const TO_RESTORE = 'See it with TaskList; then TaskUndo restores it';

const TASK_VIEW: DocumentView<TaskGraph, TaskVersion> = {
  empty: { version: 0, graph: NO_TASKS, at: new Date(0) },
  of: ({ version, content: graph, at, damage }: Version<TaskGraph>) => ({
    version,
    graph,
    at,
    damage,
  }),
};

/**
 * One list of tasks, which any number of processes may share.
 *
 * Each change is computed from one version and committed as the next, or computed again if another came first. So no change
 * is lost, no task is claimed twice, and a killed process leaves nothing locked. Reading and writing may throw a
 * StateError.
 */
export class TaskStore extends Document<TaskGraph, TaskVersion> {
  readonly clock: LeaseClock;
  #objection: ((graph: TaskGraph) => Reason | undefined) | undefined;
  #lastChange: LastChange | undefined;

  /**
   * @param place default: in memory, empty. `openTaskStore` opens a list in files.
   * @param now default: the machine's time.
   * @param clock for leases; default: the machine's.
   */
  constructor(
    place: TaskPlace = new MemoryPlace({ history: VERSIONS_IN_MEMORY }),
    now: () => Date = () => new Date(),
    clock: LeaseClock = machineClock(),
  ) {
    super(place, TASK_VIEW, now);
    this.clock = clock;
  }

  /** A view of this list that refuses all changes while `objection` returns a reason. */
  objectedBy(objection: (graph: TaskGraph) => Reason | undefined): TaskStore {
    const store = new TaskStore(this.place as TaskPlace, this.now, this.clock);
    store.#objection = objection;
    return store;
  }

  /** The last change that an agent made through this store, not by another process. */
  get lastChange(): LastChange | undefined {
    return this.#lastChange;
  }

  /**
   * Makes one change.
   *
   * @param plan computes it from the list; called again if another change came first.
   * @param approve may refuse the planned change.
   * @param by the agent that makes it; other agents that it concerns get a notice. Without it nobody does.
   */
  async change<Change extends { readonly graph: TaskGraph }>(
    plan: (graph: TaskGraph, at: string) => Change | Refused,
    approve?: (change: Change) => Promise<Reason | undefined>,
    by?: string,
  ): Promise<Done<Change> | NotDone> {
    return this.limited(() => this.#change(plan, approve, by));
  }

  async #change<Change extends { readonly graph: TaskGraph }>(
    plan: (graph: TaskGraph, at: string) => Change | Refused,
    approve?: (change: Change) => Promise<Reason | undefined>,
    by?: string,
  ): Promise<Done<Change> | NotDone> {
    for (;;) {
      const { version, graph, damage } = await this.read();
      if (damage) throw new StateError(`${damage}. ${TO_RESTORE}`);
      const at = this.now();
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
      const made = await maybeAsync(this.commit(version, after, at));
      if (!made) continue;
      if (by !== undefined) this.#lastChange = { before: graph, after, version: made.version };
      return { change, version: made.version };
    }
  }

  /** Commits the newest whole version again, over one that cannot be read. @returns undefined if all can be. */
  restore(by: string): Awaitable<TaskVersion | undefined> {
    return this.compute((newest) => (newest?.damage ? { ...newest.content, by } : undefined));
  }
}

/** A task as a row of a panel. */
export interface TaskRow
  extends Pick<Task, 'id' | 'subject' | 'activeForm' | 'owner' | 'status' | 'proof'> {
  /** The open tasks that it waits for. */
  readonly openBlockers: readonly number[];
}

/** A read-only view of a list of tasks. */
export interface TaskView {
  /** The current tasks. Never fails: an unreadable list is as it was last seen. */
  rows(): readonly TaskRow[];
  /** Calls back after a change. Returns a function that stops it. */
  onChange(listener: () => void): () => void;
}

/** The rows of a panel, without archived tasks. */
export function taskRows(graph: TaskGraph): readonly TaskRow[] {
  const shown = [...graph.tasks.values()].filter(({ isArchived }) => !isArchived);
  return shown.map((task) => taskRow(graph, task));
}

export function taskRow<T extends Task>(graph: TaskGraph, task: T): T & TaskRow {
  return { ...task, openBlockers: openBlockers(graph, task) };
}

/** A view of a store's tasks. */
export function taskView(store: TaskStore): TaskView {
  let seen: TaskGraph | undefined;
  let rows: readonly TaskRow[] = [];
  return {
    rows: () => {
      try {
        const { graph } = store.get();
        if (graph !== seen) rows = taskRows(graph);
        seen = graph;
      } catch {
        // The next command that needs the list will report the error.
      }
      return rows;
    },
    onChange: (listener) => store.onChange(listener),
  };
}

/** A list of tasks in files: by its folder, or by its name, as the task commands on PATH find it. */
export type TaskListLocation =
  | {
      /** Absolute. Created with the first task. */
      readonly folder: string;
      /** The author of changes; default: `main`. */
      readonly author?: string | undefined;
    }
  | {
      /** For TODO_STATE_URL, TODO_STATE_DIR, TODO_TASK_LIST, TODO_TEAM, TODO_SESSION and TODO_AGENT. */
      readonly environment: Environment;
      /** The current directory, absolute. */
      readonly directory: string;
      /** As `--list NAME`; default: the list named by the environment, else that of the work tree. */
      readonly list?: string;
      readonly author?: string | undefined;
    };

/** Opens a list of tasks, which other processes may share. It need not exist yet. */
export function openTaskStore(location: TaskListLocation): TaskStore {
  if (location && 'folder' in location) {
    const { folder, author } = location;
    return new TaskStore(taskPlace(new FolderStorage({ folder }), '', author));
  }
  mustHave('openTaskStore', location, 'environment', 'directory');
  const { environment, directory, list, author } = location;
  const home = new ListHome(environment, directory);
  return openTaskList(home, home.teamKey(list), author ?? home.settings.agent);
}

export function openTaskList(home: ListHome, key: string, author: string | undefined): TaskStore {
  // Computed when needed: lists on a server need no folder here.
  const sightings = () => home.trusted(`${home.folder}/seen~/${key.slice('tasks/'.length)}`);
  return new TaskStore(taskPlace(home.storage, key, author), undefined, machineClock(sightings));
}

export function taskPlace(storage: ListStorage, key: string, author: string = DEFAULT_AGENT) {
  const options = { history: ENTRIES_KEPT, check: storedEntryProblem, author };
  return new LogPlace(storage.place<LogEntry<TaskStep>>(key, options), TASK_STEPS);
}
