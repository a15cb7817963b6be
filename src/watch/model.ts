import type { Task } from '../tasks/task.ts';
import type { TodoItem, TodoVersion } from '../todo/todo-store.ts';
import type { FoundList } from './watched-lists.ts';

/** The versions of one agent's list that are kept, newest first; at least one. */
export interface KnownList {
  readonly agent: string;
  readonly versions: readonly [TodoVersion, ...TodoVersion[]];
}

/** A team's tasks, and since when each has the status that it has, in milliseconds since 1970. */
export interface KnownTasks {
  readonly tasks: ReadonlyMap<number, Task>;
  readonly since: ReadonlyMap<number, number>;
  /** When the list changed last; undefined for one that was never written. */
  readonly updatedAt: number | undefined;
}

/** Below this many columns only what matters most is said. */
export const TERSE_COLUMNS = 40;
/** How many lists are offered while waiting for one. */
export const NEWEST_OFFERED = 5;

/** What is known of a session. */
export interface Known {
  /** Its name, for people; undefined if none is named, as it must be on a server. */
  readonly session: string | undefined;
  /** What tells it from all others. */
  readonly key: string | undefined;
  /** The lists in the order of their agents' names. */
  readonly lists: readonly KnownList[];
  readonly tasks: KnownTasks;
  /** Lists of this and other sessions, those first that changed last; looked up only while they are shown. */
  readonly found: readonly FoundList[];
  /** Why something could not be read, the last time that it was tried. */
  readonly problem: string | undefined;
}

export type PageName = 'list' | 'version' | 'agents' | 'board' | 'history' | 'sessions' | 'help';

/** What is shown, and how far it is scrolled. */
export interface Page {
  readonly name: PageName;
  /** Which version, on the page of one. */
  readonly version?: number;
  /** What a person has moved to; without it, the page follows what is in progress. */
  readonly cursor?: string | undefined;
  /** The first line in sight. */
  readonly top: number;
  /** Whether what is chosen goes on above or below what is in sight, as the last frame showed it. */
  readonly goesUp?: boolean;
  readonly goesDown?: boolean;
}

/** What the viewer cannot do by itself. */
export type Request =
  | { readonly what: 'quit' }
  | {
      /** A person's change of the list. */
      readonly what: 'write';
      readonly agent: string;
      /** The version that the person saw. */
      readonly version: number;
      readonly items: readonly Readonly<TodoItem>[];
      /** How to tell that it is done. */
      readonly told: string;
      /** What would take it back; or that it has taken something back itself. */
      readonly undo: { readonly before: readonly Readonly<TodoItem>[] } | 'pop';
    }
  | {
      /** A person's change of the team's tasks. */
      readonly what: 'task';
      /** The task command that makes it, and its JSON. */
      readonly command: string;
      readonly json: Readonly<Record<string, unknown>>;
      readonly force?: boolean;
      /** The task as the person saw it; undefined for a new one. */
      readonly seen?: Task | undefined;
      readonly told: string;
      readonly undo: 'push' | 'pop';
    }
  | { readonly what: 'open'; readonly list: FoundList };

export type WriteRequest = Extract<Request, { what: 'write' }>;
export type TaskRequest = Extract<Request, { what: 'task' }>;

export interface ViewerState {
  readonly known: Known;
  /** The agent whose list is shown, if one was chosen. */
  readonly agent: string | undefined;
  /** The agent that is waited for where there is no list yet. */
  readonly awaited: string;
  /** The pages that lie on each other; the last one is shown. */
  readonly pages: readonly [Page, ...Page[]];
  readonly hidesCompleted: boolean;
  readonly columns: number;
  readonly rows: number;
  /** A text that is being typed. */
  readonly input?: Input | undefined;
  /** A message to show until the next key. */
  readonly message?: string | undefined;
  /** What our own changes replaced, as long as nobody else has changed the list. */
  readonly undo?: Undo | undefined;
  /** The versions of the team's list that our own changes made and that can be taken back, oldest first. */
  readonly taskUndo?: readonly number[] | undefined;
  readonly request?: Request;
}

export type Input = ItemInput | TaskInput;

interface Typed {
  readonly kind: 'add' | 'edit' | 'owner';
  readonly before: string;
  readonly after: string;
}

/** What is typed on the page of a list. */
export interface ItemInput extends Typed {
  readonly kind: 'add' | 'edit';
  /** The item to rename, or to add below; undefined if the list is empty. */
  readonly name: string | undefined;
  /** The version that was seen when the typing began. */
  readonly version: number;
}

/** What is typed on the board. */
export interface TaskInput extends Typed {
  /** The task that it is for, as it was when the typing began; undefined for a new one. */
  readonly task: Task | undefined;
}

export interface Undo {
  readonly agent: string;
  /** The version that our last change made. */
  readonly version: number;
  readonly befores: readonly (readonly Readonly<TodoItem>[])[];
}
