import type { Environment } from '../environment.ts';
import type { TaskRow, TaskView } from '../tasks/task-store.ts';
import { type Clock, systemClock } from '../terminal/clock.ts';
import { type PanelStream, Screen } from '../terminal/screen.ts';
import { type KeyStream, type TerminalUse, takeTerminal } from '../terminal/take-terminal.ts';
import { type ItemPair, pairItems } from '../todo/pair-items.ts';
import type { Items } from '../todo/todo-item.ts';
import type { TodoStore } from '../todo/todo-store.ts';
import type { TodoState } from '../todo/todo-version.ts';
import { pairTasks, plainReport, plainTaskReport } from './plain-report.ts';
import { RecentChanges } from './recent-changes.ts';
import type { RenderOptions } from './render-list.ts';
import { renderLists } from './render-lists.ts';
import { inProgressSince } from './status-times.ts';
import { canDraw, type Theme, themeFor } from './theme.ts';

/**
 * How a list is shown: `auto` draws a panel on a terminal that can, and nothing elsewhere; `always` draws it on any
 * stream; `never` shows nothing; `plain` writes one line of words per change to any stream.
 */
export type PanelMode = 'auto' | 'always' | 'never' | 'plain';

/** Options of a panel. */
export interface TaskPanelOptions {
  store: TodoStore;
  /** The tasks of a team, shown in their own box if there are any. */
  tasks?: TaskView | undefined;
  /** The terminal to draw on, such as `process.stdout`. */
  stream: PanelStream;
  /** The viewer's environment, such as `process.env`: TERM, the locale, NO_COLOR and FORCE_COLOR. */
  env: Environment;
  /** Default: `auto`. */
  mode?: PanelMode;
  /**
   * The keyboard of that terminal, such as `process.stdin`, for a program that reads no keys itself. While the panel is
   * live, typed keys are neither shown nor read, Ctrl-Z and `fg` work, and the terminal is restored however the program
   * ends.
   */
  input?: KeyStream;
  clock?: Clock;
}

/** Another agent's list, and the function that stops listening to it. */
interface Beside {
  readonly name: string;
  readonly store: TodoStore;
  readonly end: () => void;
}

const FULL_SECOND_MS = 1000;
/** Changes that come faster than this share a frame. */
const FRAME_MS = 25;

/**
 * Shows the list of a store on a terminal, below the output, and keeps it in sight.
 *
 * While the panel is live, send all other output on the same terminal through `write`: text printed past it is never
 * erased, but may run into the panel.
 */
export class TaskPanel {
  /** The terminal with the panel, for showing more than output there, such as a prompt. */
  readonly screen: Screen;
  readonly #store: TodoStore;
  readonly #tasks: TaskView | undefined;
  readonly #stream: PanelStream;
  readonly #clock: Clock;
  readonly #theme: Theme;
  /** Whether a panel is drawn at all. */
  readonly isLive: boolean;
  readonly #unsubscribe: (() => void)[] = [];
  #reported: TodoState;
  #reportedTasks: readonly TaskRow[] = [];
  #isFolded = false;
  #isDisposed = false;
  /** The last state drawn. */
  #shown: { items: Items; tasks: readonly TaskRow[] } = { items: [], tasks: [] };
  #active: { item: Items[number]; since: number } | undefined;
  #frameIsDue = false;
  #cancelFrame: (() => void) | undefined;
  readonly #beside = new Set<Beside>();
  readonly #isPlain: boolean;
  readonly #changes = new RecentChanges();
  #cancelNext: (() => void) | undefined;

  constructor(options: TaskPanelOptions) {
    const { store, tasks, stream, env, mode = 'auto', input, clock = systemClock } = options;
    this.#store = store;
    this.#tasks = tasks;
    this.#stream = stream;
    this.#clock = clock;
    this.#theme = themeFor(stream, env);
    this.#reported = { items: [], updatedAt: store.get().updatedAt };
    this.isLive = mode === 'always' || (mode === 'auto' && canDraw(stream, env));
    this.#isPlain = !this.isLive && mode === 'plain';
    this.screen = new Screen(stream, { filters: this.isLive, wrapsRows: !env.TMUX });
    if (this.isLive) {
      this.#listen(store.onChange(() => this.#changed()));
      this.#listen(tasks?.onChange(() => this.#frame()));
      stream.on?.('resize', this.#resized);
      if (input) this.#listen(takeTerminal(input, this.#terminalUse()));
      else this.#draw();
    } else if (this.#isPlain) {
      this.#listen(store.onChange((state) => this.#report(state)));
      this.#listen(tasks?.onChange(() => this.#reportTasks()));
      this.#report(store.get());
      this.#reportTasks();
    }
  }

  /** Writes other output above the panel; unchanged if there is no live panel. */
  write(chunk: Uint8Array | string): void {
    this.screen.writeOutput(chunk);
  }

  /** Call this when the next command begins: a completed list then folds to one line. */
  commandStarted(): void {
    const { items } = this.#store.get();
    this.#isFolded = items.length > 0 && items.every((item) => item.status === 'completed');
    if (this.isLive) this.#draw();
  }

  /** Also shows another agent's list, below, under its name. Returns a function that removes it. */
  showBeside(name: string, store: TodoStore): () => void {
    if (this.#isDisposed || !(this.isLive || this.#isPlain)) return () => {};
    let reported: TodoState = { items: [], updatedAt: new Date(0) };
    const onChange = () => {
      if (this.isLive) return this.#frame();
      const state = store.get();
      this.#writeReport(plainReport(reported, state, `Tasks of ${name}`));
      reported = state;
    };
    const beside = { name, store, end: store.onChange(onChange) };
    this.#beside.add(beside);
    onChange();
    return () => {
      beside.end();
      if (this.#beside.delete(beside) && this.isLive && !this.#isDisposed) this.#frame();
    };
  }

  /** Leaves the panel's last state as ordinary text, with the cursor below it, and releases the store and the stream. */
  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    for (const end of this.#unsubscribe) end();
    for (const { end } of this.#beside) end();
    this.#stream.off?.('resize', this.#resized);
    this.#cancelFrame?.();
    this.#cancelNext?.();
    // Nobody draws it again when what has just changed no longer stands out.
    if (this.isLive) this.screen.setPanel(this.#render({ fresh: new Set() }));
    this.screen.close();
  }

  #changed(): void {
    this.#isFolded = false;
    this.#frame();
  }

  #frame(): void {
    if (this.#cancelFrame) this.#frameIsDue = true;
    else this.#drawAndPause();
  }

  #drawAndPause(): void {
    this.#frameIsDue = false;
    this.#draw();
    this.#cancelFrame = this.#clock.after(FRAME_MS, () => {
      this.#cancelFrame = undefined;
      if (this.#frameIsDue) this.#drawAndPause();
    });
  }

  #draw(): void {
    this.screen.setPanel(this.#render());
    this.#cancelNext?.();
    const now = this.#clock.now();
    // Until the shown time changes, or the next row settles.
    const next = [
      this.#active && FULL_SECOND_MS - ((now - this.#active.since) % FULL_SECOND_MS),
      this.#changes.nextSettling && this.#changes.nextSettling - now,
    ].filter((delay) => delay !== undefined);
    this.#cancelNext =
      next.length === 0 ? undefined : this.#clock.after(Math.min(...next), () => this.#draw());
  }

  #render(look: Partial<RenderOptions> = {}): string[] {
    const state = this.#store.get();
    const tasks = this.#tasks?.rows() ?? [];
    const pairs = pairItems(this.#shown.items, state.items);
    const now = this.#clock.now();
    this.#changes.look([...pairs, ...pairTasks(this.#shown.tasks, tasks)], now);
    this.#shown = { items: state.items, tasks };
    const fresh = new Set([...state.items, ...tasks].filter((row) => this.#changes.has(row)));
    const { columns, rows } = this.screen;
    const elapsedMs = this.#elapsed(pairs, now);
    const options = { columns, rows, theme: this.#theme, elapsedMs, fresh, ...look };
    const others = [...this.#beside].map(({ name, store }) => ({ name, todos: store.get() }));
    return renderLists(state, others, tasks, options, this.#isFolded);
  }

  #terminalUse(): TerminalUse {
    return {
      enter: () => {
        this.screen.redraw([]);
        this.#draw();
      },
      leave: () => this.screen.hide(),
    };
  }

  #listen(end: (() => void) | undefined): void {
    if (end) this.#unsubscribe.push(end);
  }

  /** How long the item has been in progress, as far as the kept versions show. */
  #elapsed(pairs: readonly ItemPair[], now: number): number {
    const isActive = (item: ItemPair['after']) => item?.status === 'in_progress';
    const { before, after: item } = pairs.find(({ after }) => isActive(after)) ?? {};
    if (item === undefined) this.#active = undefined;
    else if (before && before === this.#active?.item) this.#active = { ...this.#active, item };
    else this.#active = { item, since: inProgressSince(this.#store.newestFirst()) ?? now };
    return this.#active ? Math.max(0, now - this.#active.since) : 0;
  }

  #report(state: TodoState): void {
    const line = plainReport(this.#reported, state);
    this.#reported = state;
    this.#writeReport(line);
  }

  #reportTasks(): void {
    const tasks = this.#tasks?.rows() ?? [];
    const line = plainTaskReport(this.#reportedTasks, tasks);
    this.#reportedTasks = tasks;
    this.#writeReport(line);
  }

  #writeReport(line: string): void {
    if (line === '') return;
    this.screen.startLine();
    this.screen.writeOutput(`${line}\n`);
  }

  readonly #resized = (): void => {
    this.screen.redraw(this.#render());
  };
}
