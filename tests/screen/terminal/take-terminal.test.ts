import { PassThrough } from 'node:stream';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { takeTerminal } from '../../../src/screen/terminal/take-terminal.ts';
import { bundled } from '../../helpers/bundle.ts';
import { forAllTests } from '../../helpers/for-all-tests.ts';
import { hasTmux, TmuxTerminal } from '../../helpers/tmux.ts';

/** The program is started from a bash, to see what it leaves behind. */
const shared = forAllTests(
  (finished) => new TmuxTerminal(`PS1='outer> ' bash --norc`, { columns: 200, finished }),
);

async function start(): Promise<TmuxTerminal> {
  const terminal = shared();
  terminal.enter('clear');
  await terminal.until('the outer prompt', (screen) => screen === 'outer>');
  terminal.enter(`node ${await bundled(`${import.meta.dirname}/terminal-user.ts`)}`);
  await terminal.until('the program', (screen) => screen === '<keys: >');
  return terminal;
}

let looks = 0;

/** The terminal's modes in the shell, and how the program ended. */
async function whatIsLeft(shell: TmuxTerminal): Promise<string> {
  await shell.until('the outer prompt', (screen) => /outer>$/.test(screen));
  looks += 1;
  const modes = '$(stty -a | tr " " "\\n" | grep -xE -e "-?(echo|icanon|isig)")';
  shell.enter(`echo "look ${looks}: code $?:" ${modes}`);
  const told = new RegExp(`^look ${looks}: (.*icanon.*)$`, 'm');
  const screen = await shell.until('the modes', (text) => told.test(text));
  expect(screen).not.toContain('<keys');
  expect(shell.cursorIsVisible).toBe(true);
  return told.exec(screen)?.[1] ?? '';
}

describe.skipIf(!hasTmux)('a program that takes the terminal', () => {
  test('gets each key, none is echoed; Ctrl-Z gives the terminal back, and fg draws everything again', async () => {
    const shell = await start();
    shell.type('ab');
    shell.press('Enter');
    shell.press('Up');
    await shell.until('the keys', (screen) => screen === String.raw`<keys: ab\r\u001b[A>`);
    shell.press('C-z');
    await shell.until('the outer prompt', (screen) => /Stopped[\s\S]*\nouter>$/.test(screen));
    expect(await whatIsLeft(shell)).toBe('code 148: isig icanon echo');
    shell.enter('fg');
    await shell.until('the program', (screen) => screen === String.raw`<keys: ab\r\u001b[A>`);
    shell.type('q');
    expect(await whatIsLeft(shell)).toBe('code 0: isig icanon echo');
  });

  test.each([
    ['process.exit()', (shell: TmuxTerminal) => shell.type('e'), 3],
    ['an error, whose message stays', (shell: TmuxTerminal) => shell.type('t'), 1],
    ['Ctrl-C', (shell: TmuxTerminal) => shell.press('C-c'), 130],
    ['Ctrl-\\', (shell: TmuxTerminal) => shell.press('C-\\'), 131],
    ['SIGTERM', (shell: TmuxTerminal) => process.kill(shell.child, 'SIGTERM'), 143],
    ['SIGHUP', (shell: TmuxTerminal) => process.kill(shell.child, 'SIGHUP'), 129],
  ])('%s leaves the terminal as it was found', async (name, leave, exitCode) => {
    const shell = await start();
    leave(shell);
    expect(await whatIsLeft(shell)).toBe(`code ${exitCode}: isig icanon echo`);
    if (name.includes('error')) expect(shell.screen()).toContain('Error: thrown on purpose');
  });
});

const STOP = ['SIGTSTP', 'SIGCONT'] as const;
const STOPPED = ['leave', 'SIGTSTP', 'enter', 'SIGWINCH'];

test.each([
  ['a stop gives the terminal back and takes it once', STOP, STOPPED],
  ['so does the next stop', [...STOP, ...STOP], [...STOPPED, ...STOPPED]],
  ['it is taken again if the system refuses to stop the program', ['SIGTSTP'], STOPPED],
  [
    'after a stop that nothing announced, it is taken anew',
    ['SIGCONT'],
    ['leave', 'enter', 'SIGWINCH'],
  ],
  ['a signal that the program handles is left to it', ['SIGQUIT'], []],
] as const)('%s', (_, signals, expected) => {
  const calls: string[] = [];
  const ignore = () => {};
  vi.useFakeTimers();
  vi.spyOn(process, 'kill').mockImplementation((_, signal) => {
    calls.push(String(signal));
    return true;
  });
  const resized = () => void calls.push('SIGWINCH');
  process.on('SIGQUIT', ignore).on('SIGWINCH', resized);
  const release = takeTerminal(new PassThrough(), {
    enter: () => calls.push('enter'),
    leave: () => calls.push('leave'),
  });
  onTestFinished(() => {
    release();
    process.off('SIGQUIT', ignore).off('SIGWINCH', resized);
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
  for (const signal of signals) process.emit(signal, signal);
  vi.runAllTimers();
  expect(calls).toEqual(['enter', ...expected]);
});

test('a character that arrives in pieces is one key', () => {
  const keyboard = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const typed: string[] = [];
  const use = { enter: () => {}, leave: () => {}, onKeys: (keys: string) => typed.push(keys) };
  onTestFinished(takeTerminal(keyboard, use));
  const bytes = Buffer.from('a文b');
  for (const at of bytes.keys()) keyboard.emit('data', bytes.subarray(at, at + 1));
  expect(typed).toEqual(['a', '文', 'b']);
});
