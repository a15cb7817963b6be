import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  constants,
  fstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WriteStream } from 'node:tty';
import { expect, onTestFinished } from 'vitest';
import { orElse } from '../../src/base/system/files.ts';
import { eventually } from './eventually.ts';
import { hasPrograms } from './machine.ts';
import { isAlive } from './processes.ts';

export const hasTmux = hasPrograms('tmux');

/** tmux starts commands with this shell, whatever the person's own is. */
const SHELL = execFileSync('bash', ['-c', 'type -P bash'], { encoding: 'utf8' }).trim();
const HISTFILE = ''; // Else what is typed here comes into the person's own.

/** A program on a real terminal, in its own tmux server, until the end of the test. */
export class TmuxTerminal {
  readonly #directory = mkdtempSync(join(tmpdir(), 'tmux-test-'));
  /** All that the program writes. */
  readonly #written = join(this.#directory, 'written');
  /** A client of tmux in control mode: to start one for each question takes seventy times as long. */
  readonly #client: ChildProcess;
  readonly #replies: number;
  #read = 0;

  constructor(
    command: string,
    { columns = 80, rows = 24, cwd = this.#directory, finished = onTestFinished } = {},
  ) {
    writeFileSync(this.#written, '');
    const start = [
      'new-session',
      '-f',
      'no-output',
      '-x',
      `${columns}`,
      '-y',
      `${rows}`,
      '-c',
      cwd,
    ];
    const record = ['pipe-pane', `exec cat >>'${this.#written}'`];
    const options = ['set-option', '-g', 'history-limit', '5000'];
    const commands = [[...start, command], record, options];
    const socket = join(this.#directory, 'socket');
    const argv = [
      '-S',
      socket,
      '-f',
      '/dev/null',
      '-uC',
      ...commands.flatMap((one) => [...one, ';']),
    ];
    const replies = join(this.#directory, 'replies');
    this.#replies = openSync(replies, 'w+');
    this.#client = spawn('tmux', argv, {
      env: { ...process.env, SHELL, HISTFILE },
      stdio: ['pipe', this.#replies, 'inherit'],
    });
    finished(() => this.close());
    this.#client.stdin?.on('error', () => {});
    for (const _ of commands) this.#reply();
  }

  /** Types text, then presses Enter. */
  enter(text: string): void {
    this.type(text);
    this.press('Enter');
  }

  type(text: string): void {
    this.#tmux('send-keys', '-l', '--', text);
  }

  /** Uses bracketed paste if the program asks for it. */
  paste(text: string): void {
    this.#tmux('set-buffer', '--', text);
    this.#tmux('paste-buffer', '-p');
  }

  press(key: string): void {
    this.#tmux('send-keys', key);
  }

  /** Waits until the program can see the new size, which tmux sets a little later. */
  async resize(columns: number, rows: number): Promise<void> {
    this.#tmux('resize-window', '-x', String(columns), '-y', String(rows));
    const path = this.ask('#{pane_tty}');
    await eventually('the new size', () => {
      // Without O_NOCTTY it might become this process's own terminal. A stream keeps the size that it began with.
      const terminal = new WriteStream(openSync(path, constants.O_RDWR | constants.O_NOCTTY));
      terminal.destroy();
      return `${terminal.getWindowSize()}` === `${columns},${rows}`;
    });
  }

  /** Without trailing empty rows. */
  screen(): string {
    return this.#tmux('capture-pane', '-p').trimEnd();
  }

  /** With escape sequences for colours and styles. */
  styledScreen(): string {
    return this.#tmux('capture-pane', '-p', '-e').trimEnd();
  }

  /** From now on, since looking at the screen may be too late. Returns a function that returns the text. */
  record(): () => string {
    const { size } = statSync(this.#written);
    return () => readFileSync(this.#written).subarray(size).toString();
  }

  clearHistory(): void {
    this.#tmux('clear-history');
  }

  /** Scrollback and screen, with wrapped lines joined. */
  all(): string {
    return this.rows('-J');
  }

  /** Without joining wrapped lines. */
  rows(...options: string[]): string {
    return this.#tmux('capture-pane', '-p', ...options, '-S', '-')
      .split('\n')
      .map((row) => row.trimEnd())
      .join('\n')
      .trimEnd();
  }

  get pid(): number {
    return Number(this.ask('#{pane_pid}'));
  }

  get child(): number {
    const { pid } = this;
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);
  }

  get cursorIsVisible(): boolean {
    return this.ask('#{cursor_flag}') === '1';
  }

  /** A value of tmux by its name in a format. */
  ask(format: string): string {
    return this.#tmux('display', '-p', format).trim();
  }

  /** Waits until the screen satisfies `isSo`, and returns it. It looks again when the program has written, or after a second. */
  async until(
    what: string,
    isSo: (screen: string) => boolean,
    look = () => this.screen(),
  ): Promise<string> {
    let [screen, size, at] = ['', -1, 0];
    try {
      const seen = await eventually(what, () => {
        const now = statSync(this.#written).size;
        if (now === size && performance.now() - at < 1000) return false;
        [size, at] = [now, performance.now()];
        screen = look();
        return isSo(screen) && screen;
      });
      expect(seen, what).toSatisfy(isSo);
      return seen;
    } catch (error) {
      throw new Error(`${(error as Error).message}\nThe screen:\n${screen}`);
    }
  }

  async close(): Promise<void> {
    const programs = [() => this.pid, () => this.child].map((get) => orElse(get, 0));
    this.#client.stdin?.write('kill-server\n');
    // A shell writes its history when it ends, into a folder that the test is about to remove.
    const areOver = () =>
      (this.#client.exitCode ?? this.#client.signalCode) !== null &&
      !programs.some((pid) => pid > 0 && isAlive(pid));
    await eventually('its programs end', areOver, 10_000).catch(() => this.#client.kill());
    closeSync(this.#replies);
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #tmux(...args: string[]): string {
    const quoted = args.map((arg) => `"${arg.replace(/["\\$]/g, '\\$&').replaceAll('\n', '\\n')}"`);
    this.#client.stdin?.write(`${quoted.join(' ')}\n`);
    return this.#reply();
  }

  /** The output of a command. It is waited for, since the next step of a test is about the screen of now. */
  #reply(): string {
    const begin = performance.now();
    for (;;) {
      const bytes = Buffer.alloc(fstatSync(this.#replies).size - this.#read);
      readSync(this.#replies, bytes, 0, bytes.length, this.#read);
      const text = bytes.toString('latin1');
      const reply = /^%begin .*\n([\s\S]*?)^%(end|error) .*\n/m.exec(text);
      if (reply) {
        this.#read += reply.index + reply[0].length;
        if (reply[2] === 'error') throw new Error(`tmux: ${reply[1]}`);
        return Buffer.from(reply[1] ?? '', 'latin1').toString();
      }
      const waited = performance.now() - begin;
      if (/^%exit/m.test(text) || waited > 60_000) throw new Error('tmux has ended');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}
