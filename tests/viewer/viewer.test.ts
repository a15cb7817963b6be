import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { executable } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { isAlive, usageOf } from '../helpers/processes.ts';
import { hasTmux, TmuxTerminal } from '../helpers/tmux.ts';
import { todo } from '../todo/call.ts';
import { storeOf, teamOf } from './viewer-state.ts';

describe.skipIf(!hasTmux)('on a terminal', () => {
  /** Started from a bash, to see what it leaves behind. */
  async function watchOnTerminal(state: string, argv: string, size = {}): Promise<TmuxTerminal> {
    const terminal = new TmuxTerminal(`PS1='outer> ' bash --norc`, { cwd: state, ...size });
    await terminal.until('the outer prompt', (screen) => screen.includes('outer>'));
    const program = `${process.execPath} ${executable('agent-shell')}`;
    terminal.enter(`clear; TODO_STATE_DIR=${state} ${program} watch --session s ${argv}`);
    return terminal;
  }

  /** The viewer of a list of one item, once it shows. */
  async function viewerOf(argv = '') {
    const state = temporaryDirectory();
    const store = storeOf(state, 'main');
    store.update([todo('Build')]);
    const terminal = await watchOnTerminal(state, argv);
    await terminal.until('the list', (screen) => screen.includes('Build'));
    return { state, store, terminal };
  }

  test('Ctrl-C leaves a field, as at a prompt, and then the viewer', async () => {
    const { terminal } = await viewerOf();
    terminal.press('n');
    terminal.type('Test');
    await terminal.until('the field', (screen) => /Test *$/m.test(screen));
    terminal.press('C-c');
    await terminal.until('the list', (screen) => /○ Build/.test(screen) && !/Test/.test(screen));
    terminal.press('C-c');
    await terminal.until('the prompt', (screen) => /outer>$/.test(screen));
  });

  test('the viewer waits for a list, shows it on the whole screen, its progress in the title, and gives the screen back, to Ctrl-Z too; with --bell the bell rings once all is completed', async () => {
    const state = temporaryDirectory();
    const terminal = await watchOnTerminal(state, '--bell');
    await terminal.until('the placeholder', (screen) =>
      screen.includes('Waiting for the list of agent main in session s.'),
    );
    const store = storeOf(state, 'main');
    store.update([todo('Build')]);
    await terminal.until('the list', (screen) => screen.includes('○ Build'));
    const written = terminal.record();
    const titleIs = (title: string) =>
      eventually(title, () => terminal.ask('#{pane_title}') === title);
    store.update([{ ...todo('Build'), status: 'completed' }]);
    await titleIs('✓ 1/1 main · s');
    await eventually('the bell', () => written().includes('\x07'));
    // Right after the frame that shows it.
    expect(written()).toMatch(/✓ 1\/1(?:(?!\x1b\[\?2026h).)*\x07/s);
    store.update([{ ...todo('Build'), status: 'completed' }, todo('Ship')]);
    await terminal.until('the change', (screen) => /✓ Build.*\n.*○ Ship/.test(screen));
    await titleIs('1/2 main · s');
    store.update([{ ...todo('Build'), status: 'completed' }, todo('Ship it')]);
    await terminal.until('the next change', (screen) => screen.includes('○ Ship it'));
    expect(written().match(/\x07/g)).toHaveLength(1);
    terminal.press('C-z');
    const outside = await terminal.until('the prompt', (screen) => /outer>$/.test(screen));
    expect(outside).not.toContain('Build');
    await terminal.resize(50, 12);
    terminal.enter('clear; fg');
    // A stopped program is not told that its terminal has shrunk.
    await terminal.until('the header to its end', (screen) =>
      /^main · s +updated .* ago\n[\s\S]*✓ Build/.test(screen),
    );
    terminal.press('q');
    const last = await terminal.until('the prompt', (screen) => screen.endsWith('outer>'));
    expect(last).not.toContain('Build');
    expect(terminal.cursorIsVisible).toBe(true);
  });

  test('a screen that was resized is drawn again for its size, even if its old size is back', async () => {
    const { terminal } = await viewerOf();
    await terminal.resize(30, 8);
    await terminal.until('a small screen', (screen) => /^main +0\/1 .*\n▸○ Build$/.test(screen));
    writeFileSync(terminal.ask('#{pane_tty}'), '\x1b[8HCUT');
    await terminal.until('a screen that was changed', (screen) => screen.includes('CUT'));
    process.kill(terminal.child, 'SIGWINCH');
    await terminal.until('the list again', (screen) => !screen.includes('CUT'));
    terminal.press('q');
  });

  test('keys typed together with q draw nothing on the screen that was given back', async () => {
    const { terminal } = await viewerOf();
    terminal.type('q?');
    const last = await terminal.until('the prompt', (screen) => /outer>( \?)?$/.test(screen));
    expect(last).not.toContain('Build');
  });

  test('it looks for sessions only while they are shown', async () => {
    const state = temporaryDirectory();
    storeOf(state, 'main').update([todo('Build')]);
    const log = join(state, 'timers');
    const spy = join(state, 'spy.cjs');
    writeFileSync(
      spy,
      `const { appendFileSync } = require('node:fs');
      const { setInterval: set, clearInterval: clear } = globalThis;
      globalThis.setInterval = (...how) => { appendFileSync(${JSON.stringify(log)}, 'set ' + how[1] + '\\n'); return set(...how); };
      globalThis.clearInterval = (timer) => { if (timer) appendFileSync(${JSON.stringify(log)}, 'cleared\\n'); clear(timer); };`,
    );
    const terminal = new TmuxTerminal('bash --norc', { cwd: state });
    const program = `${process.execPath} --require ${spy} ${executable('agent-shell')}`;
    terminal.enter(`TODO_STATE_DIR=${state} ${program} watch --session s`);
    await terminal.until('the list', (screen) => screen.includes('Build'));
    const logged = () => readFileSync(log, 'utf8');
    writeFileSync(log, '');
    terminal.type('s');
    await eventually('the search', () => logged() === 'set 2000\n');
    terminal.press('Escape');
    await eventually('its end', () => logged() === 'set 2000\ncleared\n');
  });

  test('a signal ends it even if its terminal is not read', async () => {
    const { terminal } = await viewerOf();
    const [viewer, server] = [terminal.child, Number(terminal.ask('#{pid}'))];
    const { O_NOCTTY, O_NONBLOCK, O_RDWR } = constants;
    const device = openSync(terminal.ask('#{pane_tty}'), O_NOCTTY | O_NONBLOCK | O_RDWR);
    process.kill(server, 'SIGSTOP');
    try {
      // As much as the system buffers for a reader.
      expect(() => {
        for (;;) writeSync(device, 'x'.repeat(1024));
      }).toThrow('EAGAIN');
      const size = ['rows', '300', 'columns', '60'];
      spawnSync('stty', size, { stdio: [device, 'ignore', 'inherit'] });
      process.kill(viewer, 'SIGHUP');
      await eventually('its end', () => !isAlive(viewer));
    } finally {
      process.kill(server, 'SIGCONT');
      closeSync(device);
    }
  });

  test('so it does where each change is printed', async () => {
    const { store, terminal } = await viewerOf('--jsonl');
    const [child, server] = [terminal.child, Number(terminal.ask('#{pid}'))];
    process.kill(server, 'SIGSTOP');
    try {
      // Together many times the system's buffer.
      const items = Array.from({ length: 50 }, (_, at) => todo(`${at} ${'x'.repeat(190)}`));
      for (let count = 0; count < 60; count++) {
        store.update(items);
        store.update([]);
      }
      const looks: number[] = [];
      await eventually('it can write no more', () => {
        looks.push(usageOf(child).writtenBytes);
        return looks.length > 20 && new Set(looks.slice(-20)).size === 1;
      });
      process.kill(child, 'SIGTERM');
      await eventually('its end', () => !isAlive(child));
    } finally {
      process.kill(server, 'SIGCONT');
    }
  });

  test('--all shows the lists side by side, later ones included', async () => {
    const { state, terminal } = await viewerOf('--all');
    storeOf(state, 'bob').update([todo('Review')]);
    await terminal.until('both lists', (screen) =>
      /main .*│.*bob .*\n.*○ Build .*│.*○ Review/.test(screen),
    );
  });

  test("--tasks shows the team's board, with times that begin where the tasks did", async () => {
    const state = temporaryDirectory();
    const minutesAgo = teamOf(state);
    await minutesAgo(185, { subject: 'Parse' }, { subject: 'Print' });
    await minutesAgo(125, { taskId: 1, status: 'in_progress', owner: 'ann' });
    await minutesAgo(65, { taskId: 2, status: 'in_progress', owner: 'bob' });
    // Another change of a task is no change of its status.
    await minutesAgo(30, { taskId: 2, subject: 'Print all' });
    await minutesAgo(20, { taskId: 1, status: 'completed' });
    const terminal = await watchOnTerminal(state, '--tasks', { columns: 100 });
    const screen = await terminal.until('the board', (text) => text.includes('ann · '));
    expect(screen).toMatch(/^Team tasks · s .* {2}updated 2\dm ago\n/);
    expect(screen).toMatch(/bob · 1h 0[5-9]m/);
    expect(screen).toMatch(/ann · 2\dm ago/);
    await minutesAgo(0, { taskId: 2, status: 'completed' });
    await terminal.until('the end of the task', (text) => /bob · \ds ago/.test(text));
    expect(terminal.screen()).toContain('Completed 2');
  });
});
