// A tmux terminal with the built agent-shell, for pictures of the real screen.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import xterm from '@xterm/headless';

const AGENT_SHELL = join(dirname(import.meta.dirname), 'dist', 'bin', 'agent-shell.cjs');
const PATIENCE_MS = 60_000;

const paneOf = (index) => `0:0.${index}`;

/** A home, a project in it, and a tmux whose panes are agent shells there. */
export class RecordedTerminal {
  #home = mkdtempSync(join(tmpdir(), 'picture-'));
  #socket = join(this.#home, 'tmux');
  #project = join(this.#home, 'slug');
  #environment;

  /**
   * @param options.files of the project, by their names.
   * @param options.environment more variables, as a shell assigns them.
   * @param options.background what the terminal answers to programs that ask for it; default: it does not answer.
   */
  constructor({ columns, rows, files, prompt, environment = '', background }) {
    this.#environment = environment;
    mkdirSync(join(this.#project, '.git'), { recursive: true });
    mkdirSync(join(this.#home, 'bin'));
    symlinkSync(AGENT_SHELL, join(this.#home, 'bin', 'agent-shell'));
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(this.#project, name), text, { mode: 0o755 });
    }
    writeFileSync(join(this.#home, '.bashrc'), `PS1='${prompt}' HISTFILE=\n`);
    const size = ['-x', String(columns), '-y', String(rows)];
    this.#tmux('-f', '/dev/null', 'new-session', '-d', ...size, '-c', this.#project, this.#start());
    this.#tmux('set-option', '-g', 'status', 'off');
    if (background) this.#tmux('set-option', '-g', 'window-style', `bg=${background}`);
    this.#tmux('resize-window', ...size);
  }

  /** Opens a pane to the right with an agent-shell command. */
  split(columns, argv) {
    const pane = ['-h', '-d', '-l', String(columns), '-c', this.#project];
    this.#tmux('split-window', ...pane, this.#start(argv));
  }

  type(text) {
    this.#tmux('send-keys', '-t', paneOf(0), '-l', '--', text);
  }

  enter(text = '') {
    if (text !== '') this.type(text);
    this.#tmux('send-keys', '-t', paneOf(0), 'Enter');
  }

  text(pane = 0) {
    return this.#tmux('capture-pane', '-t', paneOf(pane), '-p');
  }

  async until(isSo, pane = 0) {
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(20)) {
      if (isSo(this.text(pane))) return;
    }
    throw new Error(`Not what was expected on the screen:\n${this.text(pane)}`);
  }

  /** The rows of a pane, as lines of @xterm/headless. */
  async lines(pane = 0) {
    const styled = this.#tmux('capture-pane', '-t', paneOf(pane), '-p', '-e');
    const [width, height] = this.#tmux(
      'display',
      '-t',
      paneOf(pane),
      '-p',
      '#{pane_width} #{pane_height}',
    )
      .split(' ')
      .map(Number);
    const terminal = new xterm.Terminal({ cols: width, rows: height, allowProposedApi: true });
    const text = styled.replace(/\n$/, '').replaceAll('\n', '\r\n');
    await new Promise((resolve) => terminal.write(text, resolve));
    return Array.from({ length: height }, (_, y) => terminal.buffer.active.getLine(y));
  }

  close() {
    spawnSync('tmux', ['-S', this.#socket, 'kill-server']);
    rmSync(this.#home, { recursive: true, force: true });
  }

  #start(argv = '') {
    const variables = `${this.#environment} HOME='${this.#home}' LANG=C.UTF-8 TERM="$TERM" TMUX="$TMUX" PATH='${this.#home}/bin:${process.env.PATH}'`;
    return `exec env -i ${variables} agent-shell ${argv}`;
  }

  #tmux(...args) {
    return execFileSync('tmux', ['-S', this.#socket, ...args], { encoding: 'utf8' });
  }
}
