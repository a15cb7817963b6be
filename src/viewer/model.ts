import type { Task } from '../tasks/task.ts';
import type { TaskVersion } from '../tasks/task-store.ts';
import type { Items, TodoItem } from '../todo/todo-fields.ts';
import type { TodoVersion } from '../todo/todo-version.ts';

/** The kept versions of one agent's list or of a team's tasks, newest first; at least one. */
export interface KnownList<V = TodoVersion> {
  readonly agent: string;
  readonly versions: readonly [V, ...V[]];
}

export interface SessionList {
  readonly session: string;
  /** For the tasks of a team, `(team)`. */
  readonly agent: string;
  readonly key: string;
  readonly newest: {
    readonly version: number;
    readonly items: readonly Pick<TodoItem, 'status' | 'activeForm'>[];
    /** For an unreadable list, when its folder was changed; on a server, 1970. */
    readonly updatedAt: Date;
  };
  /** The damage of its newest version. */
  readonly damage?: string | undefined;
  /** Why it cannot be read, if it is not damaged: it is another user's, or in a newer format. */
  readonly unreadable?: string;
}

export interface FoundSession {
  readonly session: string;
  readonly key: string;
  /** Most recently changed first. */
  readonly lists: readonly [SessionList, ...SessionList[]];
}

export interface Known {
  /** Its name, for people. Undefined if none is given; a server needs one. */
  readonly session: string | undefined;
  /** The name of the team's list, which may be the session's. */
  readonly team: string | undefined;
  readonly key: string | undefined;
  /** Sorted by agent name. */
  readonly lists: readonly KnownList[];
  /** The kept versions of the team's tasks, newest first. */
  readonly tasks: readonly TaskVersion[];
  /** All sessions, most recently changed first. Only looked up while shown. */
  readonly found: readonly FoundSession[];
  /** True if the lists have been looked for. */
  readonly isReached: boolean;
  /** Why the last read failed, if it did. */
  readonly problem: string | undefined;
}

/** A history above the board is that of the tasks. */
export type PageName = 'list' | 'board' | 'details' | 'history' | 'agents' | 'sessions' | 'help';

export interface Page {
  readonly name: PageName;
  /** The version that a list or a board shows; default: the newest, which can be changed. */
  readonly version?: number;
  /** The row the user moved to. Without it the page follows the item in progress. */
  readonly cursor?: string | undefined;
  /** Only rows with these words are shown. */
  readonly filter?: string | undefined;
  /** Of details: a task's number or an item's name. */
  readonly of?: string;
  /** True if a list shows all completed items. */
  readonly isUnfolded?: boolean;
  /** The first visible line. */
  readonly top: number;
  /** True if the selected row continued above or below the screen in the last frame. */
  readonly goesUp?: boolean;
  readonly goesDown?: boolean;
}

/** Requests of the state to the outside world. */
export type ViewerRequest =
  | { readonly what: 'quit' }
  | { readonly what: 'open'; readonly found: FoundSession }
  | RemoveRequest
  | WriteRequest
  | TaskRequest;

interface RemoveRequest {
  readonly what: 'remove';
  readonly found: FoundSession;
  /** The key of the session that is selected afterwards. */
  readonly next: string | undefined;
}

interface Undoable {
  readonly told: string;
  readonly undo: 'push' | 'pop';
}

export interface WriteRequest extends Undoable {
  readonly what: 'write';
  readonly agent: string;
  /** The version the user saw, and its items. */
  readonly version: number;
  readonly before: Items;
  /** The selected item's place before the change. */
  readonly at: number;
  readonly items: Items;
  /** The item to select after the change. */
  readonly cursor?: string | undefined;
  /** True for items of an older version, proofs included. */
  readonly isRestored?: boolean;
}

export interface TaskRequest extends Undoable {
  readonly what: 'task';
  /** The task command, and its JSON. */
  readonly command: string;
  readonly json: Readonly<Record<string, unknown>>;
  readonly force?: boolean;
  /** The task as the user saw it; undefined for a new one. */
  readonly seen?: Task | undefined;
}

export interface ViewerState {
  readonly known: Known;
  readonly agent: string | undefined;
  /** The agent to wait for if there is no list yet. */
  readonly awaited: string;
  /** A stack of pages; the last one is shown. */
  readonly pages: readonly [...Page[], Page];
  readonly hidesCompleted: boolean;
  readonly columns: number;
  readonly rows: number;
  readonly input?: ViewerInput | undefined;
  /** Until the next key. */
  readonly message?: string | undefined;
  /** Our own changes, oldest first. */
  readonly undo?: readonly OwnChange[] | undefined;
  readonly request?: ViewerRequest;
}

/** With the version that it made: while the list or task is as it was then, the change can be undone. */
export type OwnChange = (WriteRequest | TaskRequest) & { readonly made: number };

export type ViewerInput = ItemInput | TaskInput | FilterInput | ViewerQuestion;

/** The text before and after the cursor. */
export interface TextInput {
  readonly before: string;
  readonly after: string;
}

/** On the list page. */
export interface ItemInput extends TextInput {
  readonly kind: 'addItem' | 'editItem';
  /** The item to rename, or to add below; undefined to add at the end. */
  readonly name: string | undefined;
  /** The version seen when typing began. */
  readonly version: number;
}

/** On the board. */
export interface TaskInput extends TextInput {
  readonly kind: 'addTask' | 'editTask' | 'owner';
  /** The task as it was when typing began; undefined for a new one. */
  readonly task: Task | undefined;
}

export interface FilterInput extends TextInput {
  readonly kind: 'filter';
}

export interface ViewerQuestion {
  readonly kind: 'question';
  readonly text: string;
  readonly request: ViewerRequest;
}
