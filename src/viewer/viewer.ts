import { openSync } from 'node:fs';
import { emitKeypressEvents, type Interface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { ReadStream } from 'node:tty';
import { orElse } from '../base/system/files.ts';
import { ShownTimes } from '../screen/panel/shown-times.ts';
import { hasColours, themeFor } from '../screen/panel/theme.ts';
import { ASK_BACKGROUND, answerFilter } from '../screen/terminal/background.ts';
import { FullScreen } from '../screen/terminal/full-screen.ts';
import { type KeyStream, takeTerminal } from '../screen/terminal/take-terminal.ts';
import { press } from './keys.ts';
import type { Page, ViewerRequest, ViewerState } from './model.ts';
import { render } from './render.ts';
import {
  hasTasks,
  isFinished,
  isWaiting,
  pageOf,
  progressOf,
  withCursor,
  withPage,
} from './shown.ts';
import { Sources } from './sources.ts';
import { type Key, withPastes } from './text-input.ts';
import type { WatchArguments } from './watch-arguments.ts';
import { WatchedLists } from './watched-lists.ts';
import { afterChange } from './writes.ts';

/** Changes that come faster than this share a frame. */
const VIEWER_FRAME_MS = 100;
/** Waiting less than this for a clock to change is not worth a frame. */
const LEAST_WAIT_MS = 20;
/** After this long, an escape is the Esc key and not the start of a sequence. */
const ESCAPE_MS = 50;
/** A write that takes longer, as on a slow server, shows "Saving...". */
const SAVING_MS = 300;
/** How often to look for sessions while they are shown. */
const FIND_IN_VIEWER_MS = 2000;

export function runViewer(options: WatchArguments): Promise<number> {
  return new Promise((resolve) => new Viewer(resolve).start(options));
}

type OutsideWrite = Extract<ViewerRequest, { what: 'write' | 'task' | 'remove' }>;

class Viewer {
  readonly #screen = new FullScreen(process.stdout);
  #theme = themeFor(process.stdout, process.env);
  readonly #watched = new WatchedLists();
  readonly #sources = new Sources(this.#watched, () => this.#wake());
  readonly #ended: (exitCode: number) => void;
  #state: ViewerState | undefined;
  #isUntouched = true;
  #hasBell = false;
  #wasOpen = false;
  /** Keys typed during a write. */
  #held: Key[] | undefined;
  /** By `performance.now()`. */
  #drawnAt = Number.NEGATIVE_INFINITY;
  #frame: NodeJS.Timeout | undefined;
  #tick: NodeJS.Timeout | undefined;
  #finding: NodeJS.Timeout | undefined;
  #giveBack = () => {};

  constructor(ended: (exitCode: number) => void) {
    this.#ended = ended;
  }

  start({ list, all, tasks, taskList, bell }: WatchArguments): void {
    this.#hasBell = bell;
    const { session, agent: awaited } = this.#sources.name(list);
    this.#sources.followOwn(session, taskList);
    const bottom: Page = { name: 'list', top: 0 };
    const top: Page | undefined =
      all || tasks ? { name: all ? 'agents' : 'board', top: 0 } : undefined;
    this.#state = {
      known: this.#sources.known,
      agent: list.agent,
      awaited,
      pages: top ? [bottom, top] : [bottom],
      hidesCompleted: false,
      columns: this.#screen.columns,
      rows: this.#screen.rows,
    };
    // Not 'resize': Node drops it if the old size is back, and rows were cut in between.
    process.on('SIGWINCH', () => {
      this.#screen.forget();
      this.#wake();
    });
    const keys = new PassThrough();
    emitKeypressEvents(keys, { escapeCodeTimeout: ESCAPE_MS } as unknown as Interface);
    const press = withPastes((key) => this.#press(key));
    keys.on('keypress', (_text: unknown, key: Key) => press(key));
    const withoutAnswer = answerFilter((background) => {
      this.#theme = themeFor(process.stdout, process.env, background);
      this.#draw();
    });
    this.#giveBack = takeTerminal(keyboard(), {
      enter: () => {
        this.#screen.enter();
        if (hasColours(process.stdout, process.env)) process.stdout.write(ASK_BACKGROUND);
        this.#draw();
      },
      leave: () => {
        clearTimeout(this.#tick);
        this.#screen.leave();
      },
      isBehind: () => this.#screen.isBehind,
      onKeys: (typed) => keys.write(withoutAnswer(typed)),
      keepsInterrupt: () => this.#state?.input !== undefined,
    });
  }

  #press(key: Key): void {
    if (this.#state === undefined) return;
    if (this.#held) {
      this.#held.push(key);
      return;
    }
    this.#isUntouched = false;
    const { request, ...state } = press(this.#state, key);
    this.#state = state;
    switch (request?.what) {
      case 'quit':
        this.#quit();
        return;
      case 'write':
      case 'task':
      case 'remove':
        void this.#write(request);
        break;
      case 'open':
        this.#sources.follow(request.found.session, request.found.key);
        break;
    }
    // Keys get an immediate response.
    this.#draw();
  }

  /** Keys typed during the write apply to the list after it. */
  async #write(request: OutsideWrite): Promise<void> {
    this.#held = [];
    const saving = setTimeout(() => {
      this.#state = this.#state && { ...this.#state, message: 'Saving...' };
      this.#draw();
    }, SAVING_MS);
    const after = await this.#written(request);
    clearTimeout(saving);
    const held = this.#held;
    this.#held = undefined;
    if (this.#state === undefined) return;
    this.#state = after({ ...this.#state, known: this.#sources.known });
    this.#draw();
    for (const key of held) this.#press(key);
  }

  async #written(request: OutsideWrite): Promise<(state: ViewerState) => ViewerState> {
    if (request.what === 'remove') {
      const message = await this.#sources.remove(request.found);
      const isThere = this.#sources.known.found.some(({ key }) => key === request.found.key);
      return (state) => ({ ...(isThere ? state : withCursor(state, request.next)), message });
    }
    const result =
      request.what === 'task'
        ? await this.#sources.changeTask(request)
        : await this.#sources.write(request);
    // The held keys were meant for the changed list, and would remove the reason from the screen.
    if ('refused' in result) this.#held = [];
    return (state) => afterChange(state, request, result);
  }

  #quit(): void {
    this.#sources.end();
    for (const timer of [this.#frame, this.#tick, this.#finding]) clearTimeout(timer);
    this.#giveBack();
    this.#state = undefined;
    void this.#watched.close().finally(() => this.#ended(0));
  }

  /** Draws now, or together with other changes within a frame's time. */
  #wake(): void {
    if (this.#frame) return;
    const early = this.#drawnAt + VIEWER_FRAME_MS - performance.now();
    if (early <= 0) this.#draw();
    else this.#frame = setTimeout(() => this.#draw(), early);
  }

  #draw(): void {
    if (this.#state === undefined) return;
    clearTimeout(this.#frame);
    this.#frame = undefined;
    this.#drawnAt = performance.now();
    const times = new ShownTimes(Date.now());
    const { columns, rows } = this.#screen;
    this.#findWhileShown({ ...this.#state, known: this.#sources.known });
    const state = this.#withBoard({ ...this.#state, known: this.#sources.known, columns, rows });
    const { page, ...picture } = render(state, this.#theme, times);
    this.#state = withPage(state, page);
    this.#screen.show(picture);
    this.#ringWhenFinished(state);
    this.#tickIn(times.untilChange);
  }

  /** Rings when everything shown has been completed since the last frame. */
  #ringWhenFinished(state: ViewerState): void {
    const isDone = isFinished(state);
    if (this.#hasBell && isDone && this.#wasOpen) this.#screen.ring();
    this.#wasOpen = progressOf(state).total > 0 && !isDone;
  }

  /** If there are tasks but no list, show the board, unless the user chose something else. */
  #withBoard(state: ViewerState): ViewerState {
    if (!this.#isUntouched || !hasTasks(state) || !isWaiting(state)) return state;
    this.#isUntouched = false;
    return { ...state, pages: [...state.pages, { name: 'board', top: 0 }] };
  }

  #tickIn(milliseconds: number): void {
    clearTimeout(this.#tick);
    if (milliseconds === Number.POSITIVE_INFINITY) return;
    this.#tick = setTimeout(() => this.#draw(), Math.max(milliseconds, LEAST_WAIT_MS));
  }

  #findWhileShown(state: ViewerState): void {
    const isShown = pageOf(state).name === 'sessions' || isWaiting(state);
    if (isShown === (this.#finding !== undefined)) return;
    clearInterval(this.#finding);
    this.#finding = undefined;
    if (!isShown) return;
    this.#finding = setInterval(() => void this.#sources.find(), FIND_IN_VIEWER_MS);
    void this.#sources.find();
  }
}

/** Keys come from the terminal even if standard input is a pipe. */
function keyboard(): KeyStream {
  if (process.stdin.isTTY) return process.stdin;
  return orElse<KeyStream>(() => new ReadStream(openSync('/dev/tty', 'r')), process.stdin);
}
