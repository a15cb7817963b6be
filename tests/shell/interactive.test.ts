import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { isAlive } from '../helpers/processes.ts';
import { hasTmux, TmuxTerminal } from '../helpers/tmux.ts';

const AGENT_SHELL = `node ${process.cwd()}/dist/bin/agent-shell.cjs`;
const LIST = JSON.stringify({
  todos: [
    { content: 'Plan', activeForm: 'Planning', status: 'completed' },
    { content: 'Build', activeForm: 'Building', status: 'in_progress' },
    { content: 'Ship', activeForm: 'Shipping', status: 'pending' },
  ],
});

let terminal: TmuxTerminal | undefined;
afterEach(() => terminal?.close());

/** Starts the agent shell from a bash, so that what it leaves behind can be seen. */
async function start(columns = 80, rows = 24): Promise<TmuxTerminal> {
  const started = new TmuxTerminal(`PS1='outer> ' bash --norc`, { columns, rows });
  terminal = started;
  await started.until('the outer prompt', (screen) => screen.includes('outer>'));
  started.enter(AGENT_SHELL);
  await started.until('a prompt', atPrompt);
  return started;
}

async function startWithList(columns?: number, rows?: number): Promise<TmuxTerminal> {
  const started = await start(columns, rows);
  started.enter(`TodoWrite '${LIST}'`);
  await started.until(
    'a panel below the prompt',
    (screen) => panels(screen) === 1 && atPrompt(screen),
  );
  return started;
}

const panels = (text: string) => text.split('─ Tasks ─').length - 1;
/** A prompt waits for input, with nothing but the panel below it. */
const atPrompt = (screen: string) => /(^|\n)\S+ \$ *(\n[┌│└].*)*$/.test(screen);
const rowsOf = (text: string, pattern: RegExp) =>
  text.split('\n').filter((row) => pattern.test(row));

describe.skipIf(!hasTmux)('the interactive shell in tmux', () => {
  test('shows the panel below the prompt, once, with the latest list', async () => {
    const shell = await startWithList();
    shell.enter(
      `TodoWrite '${LIST.replace('Shipping', 'Sending').replace('"Ship"', '"Send it"')}'`,
    );
    const screen = await shell.until('the new list', (text) => text.includes('○ Send it'));
    expect(panels(shell.all())).toBe(1);
    expect(screen).toContain('✓ Plan');
    expect(screen).toContain('● Building...');
    expect(screen).toMatch(/Tasks ─+ 1\/3 ─┐/);
  });

  test('shows the reply once to a list whose quotes only bash can read', async () => {
    const shell = await start();
    shell.enter(`TodoWrite '${LIST.replace('Plan', `Plan all '*'.ts files`)}'`);
    await shell.until('the panel', (text) => panels(text) === 1 && atPrompt(text));
    expect(rowsOf(shell.all(), /^Todo list updated/)).toHaveLength(1);
  });

  test('keeps the panel in sight while output streams past, and no old one in the history', async () => {
    const shell = await startWithList();
    shell.enter(
      'for i in $(seq 200); do echo "row $i"; sleep 0.005; done; printf partial; sleep 60',
    );
    const screen = await shell.until('the partial row', (text) => /\npartial\n┌─ Tasks/.test(text));
    expect(panels(screen)).toBe(1);
    expect(panels(shell.all())).toBe(1);
    expect(rowsOf(shell.all(), /^row \d+$/)).toEqual(
      Array.from({ length: 200 }, (_, index) => `row ${index + 1}`),
    );
  });

  test('Ctrl-C ends the running command and not the shell', async () => {
    const shell = await startWithList();
    shell.enter('echo started; sleep 60; echo never');
    await shell.until('the command runs', (text) => /^started$/m.test(text));
    shell.press('C-c');
    const screen = await shell.until(
      'a prompt',
      (text) => text.includes('cancelled') && atPrompt(text),
    );
    expect(screen).not.toMatch(/^never$/m);
    shell.enter('echo alive');
    await shell.until('the next command', (text) => /^alive$/m.test(text) && atPrompt(text));
  });

  test('Ctrl-C at the prompt drops the line', async () => {
    const shell = await start();
    shell.type('echo dropped');
    shell.press('C-c');
    await shell.until('a new prompt', (text) => text.includes('^C') && atPrompt(text));
    shell.enter('echo kept');
    await shell.until('the next command', (text) => /^kept$/m.test(text));
    expect(shell.all()).not.toMatch(/^dropped/m);
  });

  test('an unfinished line goes on after >, as bash says', async () => {
    const shell = await start();
    shell.enter("echo 'one");
    await shell.until('a continuation', (text) => /\n> *$/.test(text));
    shell.enter("two'");
    await shell.until('the output', (text) => /^one\ntwo$/m.test(text));
    shell.enter('cat <<EOF');
    await shell.until('a continuation', (text) => /\n> *$/.test(text));
    shell.enter('in the heredoc');
    shell.enter('EOF');
    await shell.until('the heredoc', (text) => /> EOF\nin the heredoc$/m.test(text));
  });

  test('the arrow key brings the line before back', async () => {
    const shell = await start();
    shell.enter('echo first-$((40 + 2))');
    await shell.until('the output', (text) => /^first-42$/m.test(text) && atPrompt(text));
    shell.press('Up');
    shell.press('Enter');
    await shell.until('the output again', (text) => rowsOf(text, /^first-42$/).length === 2);
  });

  test('what is typed while a command runs is run after it, and shown', async () => {
    const shell = await start();
    shell.enter('echo busy; sleep 0.5');
    await shell.until('the command runs', (text) => /^busy$/m.test(text));
    shell.enter('echo typed ahead');
    await shell.until(
      'both',
      (text) => /\$ echo typed ahead\ntyped ahead\n/.test(text) && atPrompt(text),
    );
  });

  test('a background job prints above the prompt and leaves the input as it is', async () => {
    const shell = await startWithList();
    shell.enter('(sleep 0.5; echo from the background) &');
    await shell.until('a prompt', (text) => /&\n\S+ \$/.test(text));
    shell.type('echo half');
    await shell.until('the job', (text) => /^from the background\n\S+ \$ echo half$/m.test(text));
    expect(panels(shell.all())).toBe(1);
  });

  test('resizing leaves one whole panel, at the prompt and while output streams', async () => {
    const shell = await startWithList();
    const sizes = [
      [60, 20],
      [100, 30],
      [40, 15],
      [80, 24],
    ] as const;
    for (const [columns, rows] of sizes) {
      shell.resize(columns, rows);
      const width = Math.min(columns - 1, 60);
      await shell.until(`a panel of ${width} columns`, (text) => hasWholePanel(text, width));
      expect(panels(shell.all())).toBe(1);
    }
    shell.enter('for i in $(seq 300); do echo "row $i"; sleep 0.005; done');
    for (const [columns, rows] of sizes) {
      shell.resize(columns, rows);
      await shell.until('a whole panel', (text) => hasWholePanel(text, Math.min(columns - 1, 60)));
    }
    await shell.until('the end', (text) => /^row 300$/m.test(text) && atPrompt(text));
    expect(rowsOf(shell.all(), /^row \d+$/)).toHaveLength(300);
    expect(panels(shell.all())).toBe(1);
  });

  test('a command that clears, moves the cursor, or leaves colours and the other screen on spoils nothing', async () => {
    const shell = await startWithList();
    shell.enter(String.raw`printf 'a\nb\nc\n\e[3A\e[?1049h\e[31mred\e]0;title\a'`);
    await shell.until('all its text', (text) => /^a\nb\nc\nred\n\S+ \$ *\n┌/m.test(text));
    shell.enter('clear');
    const screen = await shell.until(
      'an empty screen',
      (text) => !text.includes('red') && atPrompt(text),
    );
    expect(panels(screen)).toBe(1);
  });

  test('programs that want a terminal say so and end', async () => {
    const shell = await startWithList();
    shell.enter('less /dev/null; vim x; top; echo all ended');
    await shell.until('the end', (text) => /^all ended$/m.test(text) && atPrompt(text));
    expect(panels(shell.all())).toBe(1);
  });

  test('a finished list folds to one line at the next command', async () => {
    const shell = await startWithList();
    shell.enter(`TodoWrite '${LIST.replace(/in_progress|pending/g, 'completed')}'`);
    await shell.until('the full list', (text) => text.includes('✓ Ship') && /3\/3/.test(text));
    shell.enter('echo on');
    const screen = await shell.until('the fold', (text) => text.includes('✓ 3 tasks completed'));
    expect(panels(screen)).toBe(0);
  });

  test('suspending gives the terminal back, and fg brings prompt and panel back', async () => {
    const shell = await startWithList();
    shell.press('C-z');
    await shell.until('the outer shell', (text) => /Stopped.*\nouter> *$/.test(text));
    expect(panels(shell.all())).toBe(0);
    shell.enter('fg');
    await shell.until('the panel', (text) => panels(text) === 1 && atPrompt(text));
    shell.enter('echo back');
    await shell.until('a command', (text) => /^back$/m.test(text));
  });

  test.each([
    ['at the prompt', ''],
    ['while a command runs', 'echo started; sleep 60'],
    ['while output streams', 'echo started; yes'],
  ])('ends when its terminal goes away %s', async (_when, command) => {
    const shell = await startWithList();
    const pid = shell.child;
    if (command !== '') {
      shell.enter(command);
      await shell.until('the command runs', (text) => /^(started|y)$/m.test(text));
    }
    shell.close();
    await eventually('the agent shell has ended', () => !isAlive(pid));
  });

  test.each([
    ['Ctrl-D', (shell: TmuxTerminal) => shell.press('C-d'), 0],
    ['exit 5', (shell: TmuxTerminal) => shell.enter('exit 5'), 5],
    ['SIGTERM', (shell: TmuxTerminal) => signalShell(shell, 'SIGTERM'), 143],
    ['SIGHUP', (shell: TmuxTerminal) => signalShell(shell, 'SIGHUP'), 129],
    ['SIGINT', (shell: TmuxTerminal) => signalShell(shell, 'SIGINT'), 130],
  ])('%s leaves the terminal as it was found', async (_name, leave, exitCode) => {
    const shell = await startWithList();
    leave(shell);
    await shell.until('the outer prompt', (text) => /outer> *$/.test(text));
    shell.enter('echo "code $?"; stty -a | grep -o " echo \\| icanon" | sort');
    const screen = await shell.until('the modes', (text) => /^ icanon$/m.test(text));
    expect(screen).toContain(`code ${exitCode}\n echo\n icanon`);
    expect(shell.cursorIsVisible).toBe(true);
    expect(panels(shell.all())).toBe(1);
  });
});

function hasWholePanel(screen: string, width: number): boolean {
  const rows = rowsOf(screen, /^[┌│└]/);
  return rows.length === 5 && rows.every((row) => row.length === width) && panels(screen) === 1;
}

/** Sends a signal to the agent shell, the one child of the outer bash. */
function signalShell(shell: TmuxTerminal, signal: NodeJS.Signals): void {
  process.kill(shell.child, signal);
}
