import { isOpen } from '../../base/command/status.ts';
import type { Environment } from '../../base/environment.ts';
import { mustHave } from '../../base/given.ts';
import type { TaskRow, TaskView } from '../../tasks/task-store.ts';
import type { Item, Items } from '../../todo/todo-fields.ts';
import type { TodoStore } from '../../todo/todo-store.ts';
import type { TodoVersion } from '../../todo/todo-version.ts';
import { type PanelStream, Screen } from '../terminal/screen.ts';
import { type KeyStream, takeTerminal } from '../terminal/take-terminal.ts';
import { agentName } from './look.ts';
import { plainReport, plainTaskReport } from './plain-report.ts';
import { type ListOptions, renderLists, rewritten } from './render-lists.ts';
import { type Clock, ShownTimes, shownElapsed, systemClock } from './shown-times.ts';
import { itemTime, type StatusTimes, statusTimes } from './status-times.ts';
import { canDraw, type Theme, themeFor } from './theme.ts';

/**
 * `auto` draws a panel on a capable terminal, and nothing elsewhere; `always` draws it on any stream; `never` shows nothing;
 * `plain` writes one line of words per change to any stream.
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
   * The keyboard of that terminal, such as `process.stdin`, for a program that reads no keys itself. While the panel is live,
   * typed keys are not shown, Ctrl-Z and `fg` work, and the terminal is restored when the program ends or crashes.
   */
  input?: KeyStream;
  clock?: Clock;
}

/** A list in the panel. */
class PanelList {
  readonly name: string;
  readonly store: TodoStore;
  #reported: { readonly items: Items } = { items: [] };
  #shown: TodoVersion | undefined;

  /** @param name of another agent. */
  constructor(store: TodoStore, name = '') {
    this.store = store;
    this.name = agentName(name);
  }

  get todos(): TodoVersion {
    return this.store.get();
  }

  /** The changes since the last call, in words. */
  report(): string {
    const before = this.#reported;
    this.#reported = this.todos;
    return plainReport(before, this.todos, this.name ? `Tasks of ${this.name}` : 'Tasks');
  }

  times(): StatusTimes {
    const { todos } = this;
    const old = this.#shown;
    this.#shown = todos;
    const isNext = old && todos.version - old.version <= 1;
    const older = isNext ? [old] : [...this.store.newestFirst()].slice(1);
    return statusTimes([todos, ...older]);
  }
}

/** Faster changes share a frame. */
const PANEL_FRAME_MS = 25;

/**
 * Shows the list of a store on a terminal, below the output, and keeps it in sight.
 *
 * While the panel is live, write all other output of the terminal with `write`: other text is never erased, but may run into
 * the panel.
 */
export class TaskPanel {
  /** The terminal with the panel, for more than output, such as a prompt. */
  readonly screen: Screen;
  readonly #own: PanelList;
  readonly #tasks: TaskView | undefined;
  readonly #stream: PanelStream;
  readonly #clock: Clock;
  readonly #theme: Theme;
  /** True if a panel is drawn. */
  readonly isLive: boolean;
  readonly #unsubscribe = new Set<() => void>();
  #reportedTasks: readonly TaskRow[] = [];
  #isFolded = false;
  #isDisposed = false;
  #taskStatus: ReadonlyMap<number, { status: string; changedAt: number | undefined }> = new Map();
  #before: Items;
  #frameIsDue = false;
  #cancelFrame: (() => void) | undefined;
  readonly #beside = new Set<PanelList>();
  readonly #isPlain: boolean;
  #cancelNext: (() => void) | undefined;

  constructor(options: TaskPanelOptions) {
    mustHave('TaskPanel', options, 'store', 'stream', 'env');
    const { store, tasks, stream, env, mode = 'auto', input, clock = systemClock } = options;
    this.#own = new PanelList(store);
    this.#tasks = tasks;
    this.#stream = stream;
    this.#clock = clock;
    this.#theme = themeFor(stream, env);
    this.#before = store.get().items;
    this.isLive = mode === 'always' || (mode === 'auto' && canDraw(stream, env));
    this.#isPlain = !this.isLive && mode === 'plain';
    this.screen = new Screen(stream, { filters: this.isLive, wrapsRows: !env.TMUX });
    if (this.isLive) {
      this.#listen(
        store.onChange(() => {
          this.#isFolded = false;
          this.#frame();
        }),
      );
      this.#listen(tasks?.onChange(() => this.#frame()));
      stream.on?.('resize', this.#resized);
      const enter = () => {
        this.screen.redraw([]);
        this.#draw();
      };
      if (input) this.#listen(takeTerminal(input, { enter, leave: () => this.screen.hide() }));
      else this.#draw();
    } else if (this.#isPlain) {
      this.#listen(store.onChange(() => this.#report(this.#own)));
      this.#listen(tasks?.onChange(() => this.#reportTasks()));
      this.#report(this.#own);
      this.#reportTasks();
    }
  }

  /** Writes other output above the panel, or unchanged if there is no live panel. */
  write(chunk: Uint8Array | string): void {
    this.screen.writeOutput(chunk);
  }

  /** Call this when the next command begins: a completed list folds to one line, and colours that the last one left on end. */
  commandStarted(): void {
    this.screen.endCommand();
    const { items } = this.#own.todos;
    this.#before = items;
    this.#isFolded = items.length > 0 && !items.some(isOpen);
    if (this.isLive) this.#draw();
  }

  /** Shows another agent's list below, under its name. Returns a function that removes it. */
  showBeside(name: string, store: TodoStore): () => void {
    if (this.#isDisposed || !(this.isLive || this.#isPlain)) return () => {};
    const list = new PanelList(store, name);
    const onChange = () => (this.isLive ? this.#frame() : this.#report(list));
    const stop = store.onChange(onChange);
    this.#listen(stop);
    this.#beside.add(list);
    onChange();
    return () => {
      stop();
      this.#unsubscribe.delete(stop);
      if (this.#beside.delete(list) && this.isLive && !this.#isDisposed) this.#frame();
    };
  }

  /** Leaves the panel's last state as ordinary text, with the cursor below it, and releases the store and the stream. */
  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#stream.off?.('resize', this.#resized);
    this.#cancelFrame?.();
    this.#cancelNext?.();
    // The last frame stays, so it has no highlight.
    const settled = { fresh: new Set(), rewritten: undefined };
    if (this.isLive) this.screen.setPanel(this.#render(settled));
    this.screen.close();
  }

  #frame(): void {
    if (this.#cancelFrame) this.#frameIsDue = true;
    else this.#drawAndPause();
  }

  #drawAndPause(): void {
    this.#frameIsDue = false;
    this.#draw();
    this.#cancelFrame = this.#clock.after(PANEL_FRAME_MS, () => {
      this.#cancelFrame = undefined;
      if (this.#frameIsDue) this.#drawAndPause();
    });
  }

  #draw(): void {
    const now = new ShownTimes(this.#clock.now());
    this.screen.setPanel(this.#render({}, now));
    this.#cancelNext?.();
    const { untilChange } = now;
    this.#cancelNext = Number.isFinite(untilChange)
      ? this.#clock.after(untilChange, () => this.#draw())
      : undefined;
  }

  #render(look: Partial<ListOptions> = {}, now = new ShownTimes(this.#clock.now())): string[] {
    const tasks = this.#tasks?.rows() ?? [];
    this.#taskStatus = new Map(
      tasks.map(({ id, status }) => {
        const was = this.#taskStatus.get(id);
        const changedAt = was && now.now;
        return [id, was?.status === status ? was : { status, changedAt }];
      }),
    );
    const isFresh = ({ id }: TaskRow) => now.isFresh(this.#taskStatus.get(id)?.changedAt);
    const freshTasks = new Set<unknown>(tasks.filter(isFresh));
    const lists = [this.#own, ...this.#beside].map((list) => list.times().of);
    const timesOf = (row: unknown) => lists.find((of) => of.has(row))?.get(row);
    const { todos } = this.#own;
    const { columns, rows } = this.screen;
    const options = {
      ...{ columns, rows, theme: this.#theme },
      timeOf: (item: Item) =>
        itemTime(item, timesOf(item), ({ since }) => shownElapsed(now.elapsed(since))),
      fresh: {
        has: (row: unknown) => freshTasks.has(row) || now.isFresh(timesOf(row)?.changed),
      },
      rewritten: rewritten(this.#before, todos.items),
      ...look,
    };
    return renderLists(todos, [...this.#beside], tasks, options, this.#isFolded);
  }

  #listen(unsubscribe: (() => void) | undefined): void {
    if (unsubscribe) this.#unsubscribe.add(unsubscribe);
  }

  #report(list: PanelList): void {
    this.#writeReport(list.report());
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
