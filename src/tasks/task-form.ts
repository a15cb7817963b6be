import type { CommandResult } from '../command/agent-command.ts';
import { HELP_OPTIONS, type Options, type OptionTable } from '../command/options.ts';
import type { Problems } from '../command/refusal.ts';
import type { Fields } from '../json/fields.ts';
import type { Evidence } from '../proof/proof.ts';
import type { Settings } from '../settings/settings.ts';
import type { ClaimRules } from './claim-task.ts';
import type { HookChange, HookName } from './hooks.ts';
import type { LeaseClock } from './lease.ts';
import type { Reason, Refused } from './reasons.ts';
import type { Task, TaskGraph } from './task.ts';
import type { Done, NotDone, TaskStore } from './task-store.ts';

/** The limits of one request. */
export interface RequestLimits {
  readonly maxContentLength: number;
}

/** Checks a request's fields. Gives the request, or everything that is wrong with it. */
export type RequestSchema<Request> = (
  value: unknown,
  limits: RequestLimits,
) =>
  | { readonly request: Request; readonly notes?: readonly string[] }
  | { readonly problems: Problems };

/** Everything that makes up a task command: its texts, its fields, and what it does with them. */
export interface TaskForm<Request> {
  readonly name: string;
  /** What it does, for a model's system prompt. */
  readonly summary: string;
  /** One line, without `Usage: `. */
  readonly usage: string;
  readonly helpPage: string;
  /** JSON that it takes, as an example for an error. */
  readonly example: string;
  /** The fields of the request, as JSON and as options. */
  readonly fields: Fields;
  /** Whether it leaves the list as it is; false unless given. */
  readonly isReadOnly?: boolean;
  /** Options that are not fields, besides those of all task commands. */
  readonly options?: OptionTable;
  /** The field for arguments without an option, and whether there may be several. */
  readonly positional?: { readonly field: string; readonly isList: boolean };
  /** Whether the request is read from standard input if no field is given. */
  readonly readsStdin: boolean;
  /** Whether `--agent` names the agent that the command is about, rather than the caller. */
  readonly isAboutAgent?: boolean;
  /** As in `Error: Cannot ...`. */
  readonly purpose: string;
  readonly check: RequestSchema<Request>;
  readonly run: (request: Request, call: TaskCall) => CommandResult | Promise<CommandResult>;
}

/** Prints tasks of a list for a person. */
export type TasksForPeople = (
  graph: TaskGraph,
  tasks: readonly Task[],
  clock: LeaseClock,
) => string | Promise<string>;

/** What one call of a task command knows besides its request. */
export interface TaskCall {
  /** The list, with the clock of its leases. */
  readonly store: TaskStore;
  /** The caller: as it says, else the agent `main`. */
  readonly agent: string;
  /** Makes a change in the name of the caller. */
  readonly change: <Change extends { readonly graph: TaskGraph }>(
    plan: (graph: TaskGraph, at: string) => Change | Refused,
    approve?: (change: Change) => Promise<Reason | undefined>,
  ) => Promise<Done<Change> | NotDone>;
  /** Who claims; undefined if nobody said, and several agents use this list. */
  readonly claimant: (graph: TaskGraph) => string | undefined;
  /** The rules of its claims. */
  readonly rules: ClaimRules;
  readonly settings: Settings;
  /** The options that were given. */
  readonly options: GivenOptions;
  /** What can be said of checks. */
  readonly evidence: Evidence;
  /** Asks a hook whether a change may be made. */
  readonly approve: (hook: HookName, change: HookChange) => Promise<Reason | undefined>;
  /** Prints tasks where a person reads them, on a terminal. */
  readonly forPeople: TasksForPeople | undefined;
}

/** Options that are no fields of the request: those of all commands by their types, and those of one. */
export type GivenOptions = Options<typeof COMMON_OPTIONS> &
  Readonly<Record<`--${string}`, unknown>>;

/** The options of all task commands. */
export const COMMON_OPTIONS = { '--list': 'name', '--agent': 'name', ...HELP_OPTIONS } as const;
