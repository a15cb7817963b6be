import type { Environment } from '../base/environment.ts';
import { mustHave } from '../base/given.ts';
import type { Surroundings } from '../base/proof/run-program.ts';
import {
  readSettings,
  type Settings,
  type SettingsSource,
  settingsOfCalls,
} from '../base/settings/settings.ts';
import { orElse } from '../base/system/files.ts';
import { ListHome } from '../lists/list-home.ts';
import { agentOfHarness } from '../lists/list-paths.ts';
import type { Awaitable } from '../lists/maybe-async.ts';
import { DEFAULT_AGENT } from '../lists/place.ts';
import { noticeText, takeNotices } from './inbox.ts';
import { type LeaseClock, renewLeases } from './lease.ts';
import type { Task, TaskGraph } from './task.ts';
import { openTaskList, type TaskStore } from './task-store.ts';

/** The directory and environment that hooks run in. */
export interface HookSurroundings extends Surroundings {
  /** How long one may take, in milliseconds; 30,000 unless given. */
  readonly limitMs?: number;
}

/** The lists, caller and settings that task commands work with. */
export interface TaskContext {
  /** Opens a list by its name; without one, the list that the call's settings name. */
  readonly open: (list: string | undefined, settings: Settings) => TaskStore;
  /** Read at each call, so that changes take effect at once. Without it: the caller's names, and defaults for the rest. */
  readonly settings?: SettingsSource;
  /**
   * The surroundings of hooks, and of checks of calls from outside a bash. Without it a hook gets an empty environment and
   * `/`, and such a check is not run. Its environment may name a harness's session, which names callers without a name.
   */
  readonly around?: HookSurroundings;
  /** The session of all calls, if its end releases the tasks that its agent has begun. */
  readonly session?: string | undefined;
  /** Prints tasks for a person; without it they are printed for a model. */
  readonly forPeople?:
    | ((graph: TaskGraph, tasks: readonly Task[], clock?: LeaseClock) => Awaitable<string>)
    | undefined;
}

/** The settings of a call: the caller's, or the host's. */
export function settingsOf({ settings }: Pick<TaskContext, 'settings'>): SettingsSource {
  return settings ?? ((caller) => readSettings(caller?.env ?? {}, undefined));
}

/** The calling agent; by default that of the harness's session, or `main`. */
export function callerOf(
  { around }: Pick<TaskContext, 'around'>,
  { agent }: Pick<Settings, 'agent'>,
): string {
  return agent ?? agentOfHarness(DEFAULT_AGENT, around?.environment ?? {});
}

/**
 * A task context over lists in files, as the commands on PATH find them. `setTeam` sets the team for commands that do not name
 * one, nor their caller's environment.
 * `directory` gives the current directory, or throws if it was deleted.
 */
export function taskContext(
  world: Partial<TaskContext> & {
    readonly environment: Environment;
    readonly directory: () => string;
  },
) {
  mustHave('taskContext', world, 'environment', 'directory');
  const { environment, directory, ...more } = world;
  const home = new ListHome(environment, orElse(directory, undefined));
  const { settings: ofCalls = settingsOfCalls(environment, directory) } = more;
  let team: string | undefined;
  const settings: SettingsSource = (call) => {
    const reading = ofCalls(call);
    const isNamed = Boolean(call?.env?.TODO_TASK_LIST || call?.env?.TODO_TEAM);
    if (team === undefined || isNamed) return reading;
    return { ...reading, settings: { ...reading.settings, taskList: team } };
  };
  const setTeam = (name: string | undefined) => {
    team = name;
  };
  return { ...teamOf(home, more), settings, setTeam };
}

/** A task context over the lists of a program. */
export function teamOf(home: ListHome, more: Partial<TaskContext> = {}): TaskContext {
  const stores = new Map<string, TaskStore>();
  const open = (named: string | undefined, of: Settings): TaskStore => {
    const key = home.teamKey(named, of);
    const store = stores.get(key) ?? openTaskList(home, key, of.agent);
    stores.set(key, store);
    return store;
  };
  return { open, settings: () => home.reading, around: home.around, ...more };
}

const MOST_TOLD = 5;

/**
 * New notices, each only once, for an agent that works without task commands; also renews its leases. None if the list
 * cannot be read.
 */
export async function teamNews(
  context: TaskContext,
  settings: Settings,
  isTold = settings.guidance === 'all',
): Promise<string[]> {
  try {
    return await checkIn(callerOf(context, settings), context.open(undefined, settings), isTold);
  } catch {
    return [];
  }
}

/** Takes an agent's oldest notices, if it `isTold`, and renews its due leases. Returns the same list if there are none. */
export function checkedIn(before: TaskGraph, agent: string, clock: LeaseClock, isTold: boolean) {
  const { graph, taken, left } = takeNotices(before, agent, isTold ? MOST_TOLD : 0);
  const news = taken.map(noticeText);
  if (isTold && left > 0) news.push(`and ${left} more: TaskInbox`);
  return { graph: renewLeases(graph, agent, clock), news };
}

/** Returns an agent's new notices, each only once, and renews its leases. */
export async function checkIn(agent: string, store: TaskStore, isTold: boolean): Promise<string[]> {
  const plan = (before: TaskGraph) => checkedIn(before, agent, store.clock, isTold);
  const { graph } = await store.recent();
  if (plan(graph).graph === graph) return [];
  const outcome = await store.change(plan);
  return 'refused' in outcome ? [] : outcome.change.news;
}
