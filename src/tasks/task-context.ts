import { join } from 'node:path';
import type { Environment } from '../environment.ts';
import type { Surroundings } from '../proof/run-program.ts';
import {
  readSettings,
  type Settings,
  type SettingsSource,
  settingsOfCalls,
} from '../settings/settings.ts';
import { ListHome } from '../state/list-home.ts';
import { agentOfHarness } from '../state/list-paths.ts';
import { pathName } from '../state/path-name.ts';
import { DEFAULT_AGENT } from '../state/place.ts';
import { UnnamedList } from '../state/state-error.ts';
import type { LeaseClock } from './lease.ts';
import { machineClock } from './lease-clock.ts';
import { openTaskStore, taskListLocation } from './open-task-store.ts';
import type { Reason } from './reasons.ts';
import type { TaskGraph } from './task.ts';
import type { TasksForPeople } from './task-form.ts';
import type { TaskStore } from './task-store.ts';

const NAME_THE_TEAM =
  'with TODO_STATE_URL you must name the team or the session, since a folder means a different place on each machine: set TODO_TEAM or TODO_SESSION, or give --list NAME';

/** What the task commands work with. */
export interface TaskContext {
  /** Opens a list by its name; without one, the list that the call's settings name. */
  readonly open: (list: string | undefined, settings: Settings) => TaskStore;
  /**
   * Read at each call, so that changes take effect at once. Without it: the caller's names, and defaults for the rest.
   */
  readonly settings?: SettingsSource;
  /**
   * What hooks, and checks of calls from outside a bash, find around them. Without it a hook finds an empty environment and
   * `/`, and such a check is not run.
   */
  readonly hooks?: () => Surroundings;
  /** The caller's name if nobody says it: `main` unless given. */
  readonly unnamedAgent?: string;
  /** The session that all calls are part of, if its end releases what its agent has begun. */
  readonly session?: string | undefined;
  /** The clock for leases: this machine's unless given. */
  readonly clock?: (list: string | undefined, settings: Settings) => LeaseClock;
  /** Why the list as it is must not be changed, if the caller saw another one; without it nothing is held against it. */
  readonly objection?: (graph: TaskGraph) => Reason | undefined;
  /** Prints tasks for that person; without it they are printed as for a model. */
  readonly forPeople?: TasksForPeople | undefined;
}

/** Where the task commands of a process find their lists. */
export interface TaskContextOptions {
  readonly environment: Environment;
  /** Gives the current directory, or throws where it has been deleted. */
  readonly directory: () => string;
  /** Those of the environment, for each call with its caller's names, unless given. */
  readonly settings?: SettingsSource;
  /** Where lists live, made when first needed; where the environment says unless given. */
  readonly lists?: () => ListHome;
  /** If neither a list nor a session is named; that of the work tree, in files, unless given. */
  readonly unnamed?: TaskStore | undefined;
  readonly forPeople?: TaskContext['forPeople'];
  readonly session?: string | undefined;
}

/** What the task commands of a process work with, whose team may be named at run time. */
export interface TeamContext extends TaskContext {
  /** From now on, commands use this team's list if neither they nor their caller's environment names one. */
  readonly setTeam: (team: string | undefined) => void;
}

/** What the task commands of a process work with: lists in files, as the commands on PATH find them. */
export function taskContext(options: TaskContextOptions): TeamContext {
  const { environment, directory, unnamed } = options;
  const { settings: given = settingsOfCalls(environment, directory) } = options;
  let made: ListHome | undefined;
  const ownLists = () => {
    made ??= new ListHome(environment, directory(), readSettings(environment, undefined).settings);
    return made;
  };
  const { lists = ownLists } = options;
  let team: string | undefined;
  const settings: SettingsSource = (call) => {
    const reading = given(call);
    const isNamed = Boolean(call?.env?.TODO_TASK_LIST || call?.env?.TODO_TEAM);
    if (team === undefined || isNamed) return reading;
    return { ...reading, settings: { ...reading.settings, taskList: team } };
  };
  const stores = new Map<string, TaskStore>();
  /** The name of the list that a call means; undefined for the one in memory. */
  const nameOf = (named: string | undefined, of: Settings): string | undefined => {
    const list = named ?? of.taskList;
    if (list !== undefined) return list;
    if (of.session === undefined && unnamed) return undefined;
    if (of.session === undefined && of.stateUrl !== undefined) throw new UnnamedList(NAME_THE_TEAM);
    return lists().teamSession(of);
  };
  const open = (named: string | undefined, of: Settings): TaskStore => {
    const name = nameOf(named, of);
    if (name === undefined) return unnamed as TaskStore;
    const store = stores.get(name) ?? openTaskStore(taskListLocation(lists(), name, of.agent));
    stores.set(name, store);
    return store;
  };
  const clocks = new Map<string | undefined, LeaseClock>();
  const sightingsFile = (list: string | undefined) => {
    if (list === undefined) return undefined;
    try {
      return lists().checked(join(lists().folder, 'seen~', pathName(list)));
    } catch {
      // Lists on a server need no folder here.
      return undefined;
    }
  };
  const clock: TaskContext['clock'] = (named, of) => {
    const list = nameOf(named, of);
    const known = clocks.get(list) ?? machineClock(sightingsFile(list));
    clocks.set(list, known);
    return known;
  };
  return {
    open,
    settings,
    clock,
    hooks: () => ({ environment, cwd: directory() }),
    unnamedAgent: agentOfHarness(DEFAULT_AGENT, environment),
    forPeople: options.forPeople,
    session: options.session,
    setTeam: (name) => {
      team = name;
    },
  };
}
