import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { forAllTests } from '../helpers/for-all-tests.ts';
import { hasPrograms } from '../helpers/machine.ts';
import { hasPanelBelow, PersonsShell, panels } from '../helpers/persons-shell.ts';
import { hasProc, processesWith } from '../helpers/processes.ts';

const RC = `PS1='p> '
_greet() { COMPREPLY=($(compgen -W 'alice alfred' -- "$2")); }
complete -F _greet meet
meet() { echo "met $1"; }
`;

describe.skipIf(!hasPanelBelow)("in a person's first hour, with a list in sight,", () => {
  const shared = forAllTests((finished) => {
    const [home, list] = [{ '.bashrc': RC }, ['[x] Read', '[>] Write']];
    return PersonsShell.start({ columns: 90, rows: 30, home, list, onTestFinished: finished });
  });

  /** Waits for an empty prompt with the whole panel, the only one, below it. */
  const untilPanel = (shell: PersonsShell, before = '\n') => {
    const panel = '┌─ Tasks .* 1/2 .*\n│ ✓ Read .*\n│ ● Write\\.\\.\\..*\n└─+┘$';
    const isBack = new RegExp(`${before}p>\n${panel}`);
    const isSo = (screen: string) => isBack.test(screen) && panels(screen) === 1;
    return shell.until('a prompt with a panel below it', isSo);
  };

  /** Waits until these rows are on the screen, one below the other. */
  const untilRows = (shell: PersonsShell, ...rows: string[]) =>
    shell.until(rows.join(), (screen) => `\n${screen}\n`.includes(`\n${rows.join('\n')}\n`));

  /** A key that comes while a command is being started may be lost, in any bash. */
  const untilSleeping = (shell: PersonsShell) =>
    eventually('it sleeps', () =>
      processesWith(shell.home).some(({ command }) => command === 'sleep 60'),
    );

  let count = 0;

  /** The shell, with nothing on its screen but a number, a prompt and the panel. */
  async function atPrompt(): Promise<PersonsShell> {
    const shell = await shared();
    shell.enter(`clear; echo ${++count}`);
    await untilPanel(shell, `^${count}\n`);
    return shell;
  }

  test.for([
    ['vim', 'vim -u NONE -N notes.txt', /^~$/m, ['i', 'x', 'Escape', ':', 'w', 'q', 'Enter']],
    ['top', 'top', /PID +USER/, ['q']],
    ['less', 'seq 200 | less', /^25$/m, ['G', 'q']],
  ] as const)('%s has the whole terminal, and gives it back', async (row, { skip }) => {
    const [program, line, shown, keys] = row;
    skip(!hasPrograms(program));
    const shell = await atPrompt();
    shell.enter(line);
    await shell.until(program, (screen) => shown.test(screen) && panels(screen) === 0);
    for (const key of keys) shell.press(key);
    await untilPanel(shell);
    if (program === 'vim')
      expect(readFileSync(join(shell.project, 'notes.txt'), 'utf8')).toBe('x\n');
  });

  test('Tab completes files, commands and the words of a completion function', async () => {
    const shell = await atPrompt();
    await shell.run('touch a-long-name.txt');
    shell.type('ls a-l');
    shell.press('Tab');
    await shell.until('the name', (screen) => screen.includes('p> ls a-long-name.txt'));
    shell.press('Enter');
    await untilRows(shell, 'a-long-name.txt');
    await untilPanel(shell);
    shell.type('meet al');
    shell.press('Tab');
    shell.press('Tab');
    await shell.until('both words', (screen) => /^alfred +alice/m.test(screen));
    shell.type('i');
    shell.press('Tab');
    shell.press('Enter');
    await untilRows(shell, 'met alice');
    await untilPanel(shell);
  });

  test('Ctrl-R finds an earlier line, Up brings back the last', async () => {
    const shell = await atPrompt();
    expect(await shell.run('echo $((6 * 7)) found')).toBe('42 found');
    await shell.run('true');
    shell.press('C-r');
    shell.type('6 * 7');
    await shell.until('the search', (screen) => /reverse-i-search\)`6 \* 7'/.test(screen));
    await shell.interrupt();
    await untilPanel(shell);
    for (const key of ['Up', 'Up', 'Enter']) shell.press(key);
    await untilRows(shell, 'p> echo $((6 * 7)) found', '42 found', 'p>');
    await untilPanel(shell);
  });

  test.runIf(hasProc)('Ctrl-C ends a command, and drops a line that is being typed', async () => {
    const shell = await atPrompt();
    shell.enter('sleep 60; echo never');
    await untilSleeping(shell);
    shell.press('C-c');
    await untilPanel(shell);
    shell.type('echo dropped');
    await shell.until('the text', (screen) => screen.includes('\np> echo dropped\n'));
    await shell.interrupt();
    await untilPanel(shell);
    expect(await shell.run('echo "code $?"')).toBe('code 130');
    expect(shell.screen()).not.toMatch(/^(never|dropped)$/m);
  });

  test.runIf(hasProc)('Ctrl-Z stops a command, bg and fg go on with it', async () => {
    const shell = await atPrompt();
    shell.enter('sleep 60');
    await untilSleeping(shell);
    shell.press('C-z');
    await shell.until('the stop', (screen) => /^\[1\]\+ +Stopped +sleep 60$/m.test(screen));
    await untilPanel(shell);
    expect(await shell.run('bg')).toBe('[1]+ sleep 60 &');
    shell.enter('fg');
    await untilRows(shell, 'p> fg', 'sleep 60');
    shell.press('C-c');
    await untilPanel(shell);
  });

  test('commands have a terminal, with colours, columns and input', async () => {
    const shell = await atPrompt();
    shell.enter('read -p "your name? " name; echo "I am $name"');
    await shell.until('the question', (screen) => screen.endsWith('\nyour name?'));
    shell.enter('Ann');
    await untilRows(shell, 'I am Ann');
    await untilPanel(shell);
    const line = 'mkdir -p dir; ls --color=auto; tput cols; test -t 0 -a -t 1 && echo both';
    expect(await shell.run(line)).toMatch(/dir.*\n90\nboth$/s);
    expect(shell.styledScreen()).toMatch(/\x1b\[[\d;]*mdir/);
  });

  test('input typed while a command runs is the next command', async () => {
    const shell = await atPrompt();
    shell.enter('echo busy; sleep 1');
    await untilRows(shell, 'busy');
    shell.enter('echo typed ahead');
    await shell.until('its output', (screen) =>
      /p> (echo )?typed ahead\ntyped ahead\np>/.test(screen),
    );
    await untilPanel(shell);
  });

  test('vi mode, a multi-line command, a heredoc', async () => {
    const shell = await atPrompt();
    await shell.run('set -o vi');
    shell.type('echo wrong');
    shell.press('Escape');
    shell.type('bcwright');
    shell.press('Escape');
    shell.press('Enter');
    await untilRows(shell, 'right');
    await untilPanel(shell);
    for (const line of ['cat <<END', 'in a heredoc', 'END']) shell.enter(line);
    await untilRows(shell, 'in a heredoc', 'p>');
    await untilPanel(shell);
  });
});
