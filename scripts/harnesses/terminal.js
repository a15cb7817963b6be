// A program at a terminal, as a person has it: tmux, its screen and its keys.
import { spawnSync } from 'node:child_process';

const LOOK_MS = 100;
const LOOKS_PER_ENTER = 10;
const REST_MS = 1500;
/** Long, since a busy machine starts some harnesses in minutes. */
const SCREEN_MS = 180_000;

let count = 0;

export class Terminal {
  #tmux;

  constructor(command, { cwd, env }) {
    const server = `todowrite-${process.pid}-${count++}`;
    this.#tmux = (...argv) =>
      spawnSync('tmux', ['-L', server, ...argv], { env, cwd, encoding: 'utf8' }).stdout;
    this.#tmux('new-session', '-d', '-x', '120', '-y', '50', command.join(' '));
  }

  screen() {
    return this.#tmux('capture-pane', '-p');
  }

  press(key) {
    this.#tmux('send-keys', key);
  }

  /** Waits until it takes a prompt; `trust` is what it may ask before, to be answered with yes. */
  async start({ ready, trust }) {
    await this.until(() => ready.test(this.screen()) || trust?.test(this.screen()));
    if (trust?.test(this.screen())) this.press('Enter');
    await this.until(() => ready.test(this.screen()));
  }

  /** Types a text, then Enter until it is taken: some harnesses take the first one for a part of what was pasted. */
  async type(text, isTaken) {
    this.#tmux('send-keys', '-l', text);
    await this.until(() => this.screen().includes(text));
    let looks = 0;
    await this.until(() => {
      if (isTaken()) return true;
      if (looks++ % LOOKS_PER_ENTER === 0) this.press('Enter');
      return false;
    });
  }

  /** @throws an Error with the screen. */
  async until(isSo) {
    const end = Date.now() + SCREEN_MS;
    while (!isSo()) {
      if (Date.now() > end) throw new Error(`not seen in time: ${isSo}\n${this.screen()}`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  /** Waits until nothing has moved for a while: what comes sooner after a refusal, opencode never answers. */
  async rest() {
    let [last, since] = ['', Date.now()];
    await this.until(() => {
      const now = this.screen();
      if (now !== last) [last, since] = [now, Date.now()];
      return Date.now() - since > REST_MS;
    });
  }

  /** Ends the program, since some outlive their terminal, and waits: until then it writes files. */
  async close() {
    const pid = Number(this.#tmux('display-message', '-p', '#{pane_pid}'));
    this.#tmux('kill-server');
    await this.until(() => !sent(-pid, 'SIGKILL'));
  }
}

/** False if there is no such process. */
function sent(pid, signal) {
  try {
    return pid < 0 && process.kill(pid, signal);
  } catch {
    return false;
  }
}
