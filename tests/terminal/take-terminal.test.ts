import { afterEach, describe, expect, test } from 'vitest';
import { bundle } from '../helpers/bundle.ts';
import { hasTmux, TmuxTerminal } from '../helpers/tmux.ts';

let terminal: TmuxTerminal | undefined;
afterEach(() => terminal?.close());

/** Starts the program from a bash, to see what it leaves behind. */
async function start(): Promise<TmuxTerminal> {
  const program = bundle(`${import.meta.dirname}/terminal-user.ts`);
  const started = new TmuxTerminal(`PS1='outer> ' bash --norc`, { columns: 120 });
  terminal = started;
  await started.until('the outer prompt', (screen) => screen.includes('outer>'));
  started.enter(`node ${program}`);
  await started.until('the program', (screen) => screen === '<keys: >');
  return started;
}

/** The terminal's modes in the shell, and how the program ended. */
async function whatIsLeft(shell: TmuxTerminal): Promise<string> {
  await shell.until('the outer prompt', (screen) => /outer>$/.test(screen));
  shell.enter('echo "code $?:" $(stty -a | tr " " "\\n" | grep -xE -e "-?(echo|icanon|isig)")');
  const screen = await shell.until('the modes', (text) => /^code .*icanon/m.test(text));
  expect(screen).not.toContain('<keys');
  expect(shell.cursorIsVisible).toBe(true);
  return /^code .*$/m.exec(screen)?.[0] ?? '';
}

describe.skipIf(!hasTmux)('a program that takes the terminal', () => {
  test('gets each key, and none is echoed', async () => {
    const shell = await start();
    shell.type('ab');
    shell.press('Enter');
    shell.press('Up');
    await shell.until('the keys', (screen) => screen === String.raw`<keys: ab\r\u001b[A>`);
  });

  test('Ctrl-Z gives the terminal back, and fg draws everything again', async () => {
    const shell = await start();
    shell.type('a');
    await shell.until('the key', (screen) => screen === '<keys: a>');
    shell.press('C-z');
    await shell.until('the outer prompt', (screen) => /Stopped.*\nouter>$/.test(screen));
    expect(await whatIsLeft(shell)).toBe('code 148: isig icanon echo');
    shell.enter('fg');
    await shell.until('the program', (screen) => screen === '<keys: a>');
    shell.type('b');
    await shell.until('the key', (screen) => screen === '<keys: ab>');
  });

  test('a stop that it cannot see coming is followed by a full redraw', async () => {
    const shell = await start();
    process.kill(shell.child, 'SIGSTOP');
    await shell.until('the outer shell', (screen) => screen.includes('Stopped'));
    shell.enter('fg');
    await shell.until('the program', (screen) => screen === '<keys: >');
    shell.type('a');
    await shell.until('the key', (screen) => screen === '<keys: a>');
  });

  test.each([
    ['its own end', (shell: TmuxTerminal) => shell.type('q'), 0],
    ['process.exit()', (shell: TmuxTerminal) => shell.type('e'), 3],
    ['an error', (shell: TmuxTerminal) => shell.type('t'), 1],
    ['Ctrl-C', (shell: TmuxTerminal) => shell.press('C-c'), 130],
    ['Ctrl-\\', (shell: TmuxTerminal) => shell.press('C-\\'), 131],
    ['SIGTERM', (shell: TmuxTerminal) => process.kill(shell.child, 'SIGTERM'), 143],
    ['SIGHUP', (shell: TmuxTerminal) => process.kill(shell.child, 'SIGHUP'), 129],
  ])('%s leaves the terminal as it was found', async (_name, leave, exitCode) => {
    const shell = await start();
    leave(shell);
    expect(await whatIsLeft(shell)).toBe(`code ${exitCode}: isig icanon echo`);
  });

  test('error messages stay on the screen', async () => {
    const shell = await start();
    shell.type('t');
    await shell.until('the error', (screen) => screen.includes('Error: thrown on purpose'));
  });
});
