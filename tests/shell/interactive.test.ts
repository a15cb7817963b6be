import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test as alone, describe, expect } from 'vitest';
import { parseArguments } from '../../src/shell/arguments.ts';
import { promptShell } from '../../src/shell/prompt-shell.ts';
import { TodoLists } from '../../src/todo/todo-lists.ts';
import { items } from '../guidance/agent-session.ts';
import { bashIsSince } from '../helpers/bash.ts';
import { callCommand } from '../helpers/commands.ts';
import { eventually } from '../helpers/eventually.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import {
  PersonsShell,
  type PersonsShellOptions,
  panels,
  writeLine,
} from '../helpers/persons-shell.ts';
import { hasProc, isAlive, killProcessesWith, processesWith } from '../helpers/processes.ts';
import { hasTmux } from '../helpers/tmux.ts';

/** Starts shells that end with the test, which runs beside others. */
const test = alone.extend<{ start: (of?: PersonsShellOptions) => Promise<PersonsShell> }>({
  start: ({ onTestFinished }, use) => use((of) => PersonsShell.start({ ...of, onTestFinished })),
});

const COLOURED_PROMPT = String.raw`PS1='\[\e[32m\]p\[\e[0m\]> '`;
const LIST = ['[x] Plan', '[>] Build <- Building', '[ ] Ship'] as const;

describe.skipIf(!hasTmux)('the panel of an interactive shell', { concurrent: true }, () => {
  test('stands below the prompt, once, with the latest list', async ({ expect, start }) => {
    const shell = await start({ list: LIST });
    const written = shell.record();
    await shell.write('[x] Plan', '[x] Build', '[>] Send it <- Sending it');
    const rows = await shell.untilPanel((panel) => panel.some((row) => row.includes('Sending')));
    const FRESH = /\x1b\[[\d;]*7m(?:\x1b\[[\d;]*m)*[^\x1b]*(Build|Sending)/;
    await eventually('it stood out', () => FRESH.test(written()));
    const short = (row: string) => row.replace(/(?: {2,}[\dms ]+)? +│$| ─+ | ─+.$|─{9,}/g, '');
    expect(rows.map(short)).toEqual([
      '┌─ Tasks+1 −12/3',
      '│ ✓ Plan',
      '│ ✓ Build',
      '│ ● Sending it...',
      '└┘',
    ]);
    expect(panels(shell.all())).toBe(1);
    // Until the next prompt.
    shell.press('Enter');
    await eventually('it is as the others', () => !FRESH.test(shell.styledScreen()));
    expect(shell.screen()).not.toContain('+1');
    expect(panels(shell.all())).toBe(1);
  });

  test('goes before a command runs, and leaves nothing in its output', async ({
    expect,
    start,
  }) => {
    const shell = await start({ list: LIST });
    const rows = Array.from({ length: 40 }, (_, index) => `row ${index + 1}`);
    expect(await shell.run('printf "row %s\\n" {1..40}')).toBe(rows.join('\n'));
    expect(panels(shell.all())).toBe(1);
  });

  test('stays one after Ctrl-C, an empty line, an unfinished line, and is back after Ctrl-L', async ({
    expect,
    start,
  }) => {
    const shell = await start({ list: LIST });
    shell.type('echo dropped');
    shell.press('C-c');
    await shell.untilPanel();
    shell.press('Enter');
    await shell.untilPanel();
    shell.enter("echo 'one");
    await shell.until('a continuation', (text) => /\n> *\n┌/.test(text));
    shell.enter("two'");
    await shell.until('the output', (text) => /\n> two'\none\ntwo\np>\n┌/.test(text));
    expect(panels(shell.all())).toBe(1);
    expect(shell.all()).not.toMatch(/^dropped/m);
    shell.press('C-l');
    await shell.until('the prompt at the top, and the panel', (text) => /^p>\n┌─ Tasks/.test(text));
    expect(panels(shell.all())).toBe(1);
  });

  test('leaves nothing behind a line that was typed over it', async ({ expect, start }) => {
    const shell = await start({ columns: 60, home: { '.bashrc': COLOURED_PROMPT }, list: LIST });
    const long = `echo ${'word '.repeat(14)}end`;
    shell.enter(long);
    await shell.until('the output', (text) => /\nword .*end\np>\n┌/s.test(text));
    await shell.untilPanel();
    expect(shell.all()).toContain(`p> ${long}\n`);
    expect(shell.screen().match(/─/g)).toHaveLength(
      (await shell.untilPanel()).join().match(/─/g)?.length ?? 0,
    );
  });

  test('is redrawn by TodoWrite in the background, and typed text stays', async ({
    expect,
    start,
  }) => {
    const shell = await start();
    const script = join(shell.home, 'write');
    const go = join(shell.home, 'go');
    writeFileSync(script, `until [ -e ${go} ]; do sleep 0.1; done\n${writeLine(...LIST)}\n`);
    shell.enter('bash ~/write >/dev/null &');
    await shell.until('the job has begun', (text) => /\[1\] \d+\np> *$/.test(text));
    shell.type('echo half');
    writeFileSync(go, '');
    await shell.until('the panel', (text) => /^p> echo half\n┌─ Tasks/m.test(text));
    shell.type(' and the rest');
    shell.press('Enter');
    const screen = await shell.untilPanel().then(() => shell.all());
    expect(screen).toContain('p> echo half and the rest\nhalf and the rest\n');
    expect(panels(screen)).toBe(1);
  });

  test('is redrawn below the output of a TodoWrite in the background, and is still the only one', async ({
    expect,
    start,
  }) => {
    const shell = await start({ list: LIST });
    const script = join(shell.home, 'write');
    const go = join(shell.home, 'go');
    const next = 'TodoWrite --done 2 --start 3';
    writeFileSync(script, `until [ -e ${go} ]; do sleep 0.1; done\n${next}\n`);
    shell.enter('bash ~/write &');
    await shell.until('the job has begun', (text) => /\[1\] \d+\np> *\n┌/.test(text));
    writeFileSync(go, '');
    const screen = await shell.until('the new panel', (text) => /● Ship/.test(text));
    expect(screen).toMatch(
      /\np> Todo list updated: 2 completed.*\nNow 3: \w+\n┌─ Tasks .* 2\/3 ─┐\n/,
    );
    expect(panels(screen)).toBe(1);
  });

  test('is not redrawn by TodoWrite in the background under stty tostop, which would stop the writer', async ({
    expect,
    start,
  }) => {
    const shell = await start({ list: LIST });
    await shell.run('stty tostop; mkfifo go stay');
    // While the job lives, the terminal can stop what it has started.
    shell.enter('(: <go; TodoWrite --done 2 --start 3 >/dev/null; : >ended <stay) &');
    await shell.until('the job has begun', (text) => /\[1\] \d+\np> *\n┌/.test(text));
    writeFileSync(join(shell.project, 'go'), '');
    await eventually('TodoWrite has ended', () => existsSync(join(shell.project, 'ended')));
    const writers = () =>
      processesWith(shell.home).filter(({ command }) => / again$/.test(command));
    await eventually('no writer is left', () => writers().length === 0);
    writeFileSync(join(shell.project, 'stay'), '');
    shell.press('Enter');
    const screen = await shell.until('the new panel', (text) => /● Ship/.test(text));
    expect(panels(screen)).toBe(1);
  });

  test('is where it was when a job prints at the prompt, and Ctrl-C leaves nothing of it above', async ({
    expect,
    start,
  }) => {
    const shell = await start({ rows: 12, list: LIST });
    await shell.run('mkfifo go');
    shell.enter('(: <go; seq 9; echo end) &');
    await shell.until('the job has begun', (text) => /\[1\] \d+\np> *\n┌/.test(text));
    shell.type('half');
    await shell.until('typed', (text) => /\np> half\n┌/.test(text));
    writeFileSync(join(shell.project, 'go'), '');
    await shell.until('what it prints', (text) => /\n8\n9\nend\n┌─ Tasks/.test(text));
    shell.press('C-c');
    await shell.untilPanel();
    expect(shell.all().replace(/\n┌[^┘]*┘$/, '')).not.toMatch(/[┌│└]/);
    expect(panels(shell.all())).toBe(1);
  });

  test('stays in a smaller terminal with the typed text; at the next prompt it has the new size', async ({
    expect,
    start,
  }) => {
    const shell = await start({ list: LIST });
    shell.type('echo half');
    await shell.resize(80, 12);
    await shell.until('it is there', (text) => /^p> echo half\n┌─ Tasks.*┘$/s.test(text));
    for (const [columns, rows] of [
      [40, 12],
      [100, 30],
      [50, 14],
    ] as const) {
      await shell.resize(columns, rows);
      shell.press('C-c');
      await shell.untilPanel(([first]) => first?.length === Math.min(columns - 1, 100));
      expect(shell.all().match(/[┌└]/g)).toHaveLength(2);
    }
  });

  test('leaves no piece of its wider rows in a terminal that has become narrow', async ({
    expect,
    start,
  }) => {
    const shell = await start({ list: LIST });
    shell.type('echo half');
    await shell.until('typed', (text) => text.includes('echo half'));
    await shell.resize(20, 24);
    await shell.until('only the new rows', (text) =>
      /^p> echo half\n┌─ Tasks[^\n]*\n(?:│[^\n]*\n)+└─+┘$/.test(text),
    );
    expect(panels(shell.all())).toBe(1);
  });

  test('is removed before the EXIT trap of the user, which runs as it would', async ({
    expect,
    start,
  }) => {
    const shell = await start({ fromBash: true, list: LIST });
    await shell.run(`trap 'echo "bye $?"' EXIT; false`);
    shell.press('C-d');
    const screen = await shell.until('the outer prompt', (text) => /outer>$/.test(text));
    expect(screen).toMatch(/\np>\nexit\nbye 1\nouter>$/);
    expect(shell.ask('#{scroll_region_lower}')).toBe('23');
  });

  test("keeps clear of bash's reports of ended jobs", async ({ expect, start }) => {
    const shell = await start({ list: LIST });
    await shell.run('mkfifo go');
    await shell.run('cat go &');
    await shell.run(': >go; while kill -0 $! 2>/dev/null; do sleep 0.01; done');
    await shell.untilPanel();
    expect(shell.screen()).toMatch(/^\[1\]\+ {2}Done +cat go\np>\n┌─ Tasks/m);
  });

  test("shows another process's change at the next prompt", async ({ expect, start }) => {
    const shell = await start();
    new TodoLists({ HOME: shell.home }, shell.project).open({}).update(items(...LIST));
    await shell.run('true');
    expect(await shell.untilPanel()).toHaveLength(5);
    await shell.run('cd / && cd /tmp');
    expect(panels(shell.all())).toBe(0);
    await shell.run('mkdir -p ~/project/src && cd ~/project/src');
    expect(await shell.untilPanel()).toHaveLength(5);
  });

  test('is that of a relative TODO_STATE_DIR, anywhere in the work tree', async ({
    expect,
    start,
  }) => {
    const env = { TODO_STATE_DIR: '.lists' };
    const shell = await start({ env });
    await shell.run('git init -q . && mkdir sub && cd sub');
    await shell.write(...LIST);
    expect(await shell.untilPanel()).toHaveLength(5);
    await shell.run('cd ..');
    expect(await shell.untilPanel()).toHaveLength(5);
  });

  test('folds to one line at the command after a list is finished, and goes with the list', async ({
    expect,
    start,
  }) => {
    const shell = await start();
    await shell.write('[x] Plan', '[x] Verify it');
    shell.enter('true');
    await shell.until('the fold', (text) => /\np>\n✓ 2 tasks completed$/.test(text));
    shell.enter(`TodoWrite '{"todos":[]}'`);
    await shell.until('no panel', (text) => /0 pending\np>$/.test(text));
    expect(shell.screen()).not.toContain('✓');
  });

  test('shows the tasks of a team beside the list', async ({ expect, start }) => {
    const shell = await start({ rows: 40 });
    await shell.run('TaskCreate --subject "Write the docs" >/dev/null');
    const rows = await shell.untilPanel();
    expect(rows.join('\n')).toContain('#1 Write the docs');
  });

  test('costs no process at a prompt where no list has changed, and leaves none behind', async ({
    expect,
    onTestFinished,
    start,
  }) => {
    const bin = temporaryDirectory(onTestFinished);
    const log = join(bin, 'log');
    const node = `#!/bin/sh\necho started >> '${log}'\nexec '${process.execPath}' "$@"\n`;
    writeFileSync(join(bin, 'node'), node, { mode: 0o755 });
    const shell = await start({ env: { PATH: `${bin}:${process.env.PATH}` } });
    await shell.run('true');
    expect(() => readFileSync(log)).toThrow();
    await shell.write(...LIST);
    const before = readFileSync(log, 'utf8');
    expect(await shell.run('jobs; echo "[$!]"')).toBe('[]');
    await shell.untilPanel();
    expect(readFileSync(log, 'utf8')).toBe(before);
    const children = readFileSync(`/proc/${shell.pid}/task/${shell.pid}/children`, 'utf8');
    expect(children.trim()).toBe('');
  });
});

describe.skipIf(!hasTmux)('guidance in an interactive shell', { concurrent: true }, () => {
  test('a reminder is dim, on lines of its own before the prompt, and comes once', async ({
    expect,
    start,
  }) => {
    const env = { TODO_GUIDANCE: 'all', TODO_REMINDER_TURNS: '2' };
    const shell = await start({ env, columns: 150 });
    await shell.write('[>] Fix it', '[ ] Ship it');
    await shell.run('true one');
    expect(await shell.run('echo two')).toBe(`two
Note: 2 commands since the last TodoWrite; 2 items unfinished. Update the list if it is out of date:
Note: [>] Fix it
Note: [ ] Ship it`);
    // tmux prints the style once for consecutive rows.
    const styled = shell.styledScreen().replaceAll('\x1b[0m\n\x1b[2m', '\n');
    expect(styled).toMatch(/\x1b\[2mNote: 2 commands[^\x1b]*\nNote: \[ \] Ship it\s*\x1b\[0m/);
    await shell.untilPanel();
    await shell.resize(100, 24);
    expect(await shell.run('echo three')).toBe('three');
    await shell.untilPanel();
  });

  test('a command during which another process wrote the list counts', async ({
    expect,
    start,
  }) => {
    const env = { TODO_GUIDANCE: 'all', TODO_REMINDER_TURNS: '2' };
    const shell = await start({ env, columns: 150 });
    new TodoLists({ HOME: shell.home }, shell.project).open({}).update(items('[ ] Ship it'));
    expect(await shell.run('echo one')).toBe('one');
    expect(await shell.run('echo two')).toContain('Note: 2 commands since the last TodoWrite');
  });

  test('a person who has not set TODO_GUIDANCE=all is never reminded', async ({
    expect,
    start,
  }) => {
    const env = { TODO_REMINDER_TURNS: '1' };
    const shell = await start({ env, columns: 300 });
    await shell.write('[>] Run the tests');
    for (const line of ['true', 'false', 'true 3', 'true 4', 'true 5']) {
      expect(await shell.run(line)).toBe('');
    }
    expect(await shell.run(writeLine('[x] Run the tests'))).not.toContain('Note:');
  });

  test('only lines run at this prompt count as work', async ({ expect, start }) => {
    const shell = await start({ env: { TODO_GUIDANCE: 'all' }, columns: 300 });
    await shell.write('[>] Run the tests', '[ ] Verify it');
    await shell.run('pytest() { return ${code-1}; }');
    await shell.run('pytest -q');
    const unproven = writeLine('[x] Run the tests', '[>] Verify it');
    const note =
      'Note: the last test command exited with 1 and none has succeeded since: pytest -q';
    expect(await shell.run(unproven)).toContain(note);
    await shell.write('[>] Run all tests');
    const lists = new TodoLists({ HOME: shell.home }, shell.project);
    lists.open({}).update(items('[x] Run all tests'));
    expect(await shell.run('true')).toBe('');
  });
});

describe.skipIf(!hasTmux)('the shell of an agent with a name', { concurrent: true }, () => {
  /** The leader's commands on the team's list. */
  const leader = (shell: PersonsShell) => async (name: string, argv: readonly string[]) => {
    const TODO_STATE_DIR = join(shell.home, '.local/state/todowrite');
    const env = { TODO_STATE_DIR, TODO_TEAM: 'blue', TODO_AGENT: 'lead' };
    return (await callCommand(env, name, argv, { cwd: shell.project })).stdout;
  };
  const asAnn = (env = {}) => ({
    columns: 100,
    env: { TODO_TEAM: 'blue', ...env },
    argv: '--agent ann',
  });

  test.for([
    ['exit', ''],
    ['kill -9 $$, and leaves a process that knows the shell', '(trap "" HUP; exec sleep 1000 &); '],
  ])(
    'releases the tasks it began when it ends by %s, not those of others or assigned ones',
    async ([end = '', before = ''], { expect, onTestFinished, start }) => {
      const shell = await start(asAnn());
      onTestFinished(() => killProcessesWith(shell.home));
      const lead = leader(shell);
      await lead('TaskCreate', [JSON.stringify(['A', 'B', 'C'].map((subject) => ({ subject })))]);
      await lead('TaskUpdate', ['2', '--owner', 'ann']);
      await lead('TaskClaim', ['3']);
      expect(await shell.run(`${before}TaskClaim 1`)).toContain('Task #1 claimed by ann');
      shell.enter(end.replace(/,.*/, ''));
      await eventually('released', async () =>
        (await lead('TaskList', [])).includes('#1 [pending] A\n'),
      );
      expect(await lead('TaskList', [])).toBe(
        '#1 [pending] A\n#2 [pending] B (ann)\n#3 [in_progress] C (lead)\n',
      );
      expect(await lead('TaskGet', ['1', '--history'])).toContain('  ann  released #1 A\n');
    },
  );

  test('with TODO_RELEASE_AT_EXIT=0 no process waits for its end', async ({ expect, start }) => {
    const shell = await start(asAnn({ TODO_RELEASE_AT_EXIT: '0' }));
    expect(await shell.run('echo "${AGENT_SHELL_SESSION-none}"')).toBe('none');
  });

  test("reports other agents' changes at the prompt, once", async ({ expect, start }) => {
    const shell = await start(asAnn({ TODO_GUIDANCE: 'all' }));
    await leader(shell)('TaskCreate', ['--subject', 'A', '--owner', 'ann']);
    expect(await shell.run('echo hi')).toBe('hi\nNote: #1 "A": assigned to you by lead');
    expect(await shell.run('echo hi')).toBe('hi');
  });
});

describe.skipIf(!hasTmux)('at the prompt of an interactive shell', { concurrent: true }, () => {
  test('a check that ran at it proves its items; one that ran elsewhere does not', async ({
    expect,
    start,
  }) => {
    const shell = await start({ columns: 400 });
    const folder = join(shell.home, '.local/state/todowrite/prompts~');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, '99999999'), 'of a shell that is gone');
    const MORE = '{"content":"C","activeForm":"D","status":"pending"}';
    const write = (status: string) =>
      shell.run(
        `TodoWrite '[{"content":"A","activeForm":"B","status":"${status}","check":"test -d ."},${MORE}]' 2>&1`,
      );
    await write('in_progress');
    await shell.run('test -d . && echo yes');
    expect(await write('completed')).not.toContain('unproven');
    expect(await shell.run('TodoRead | head -1')).toBe('[x] A (check: test -d ., proven)');
    await write('in_progress');
    await shell.run('bash -c "test -d ."');
    expect(await write('completed')).toContain('Note: item 1 is unproven: test -d . has not');
    expect(await shell.run(`stat -c '%a' ${folder} ${folder}/*`)).toBe('700\n600');
  });

  test('$?, $_, PIPESTATUS and the history are those of the user', async ({ expect, start }) => {
    const shell = await start({ list: LIST });
    await shell.run('false one two');
    expect(await shell.run('echo "$? $_"')).toBe('1 two');
    await shell.run('true | (exit 3) | (exit 4)');
    expect(await shell.run('echo "${PIPESTATUS[*]}"')).toBe('0 3 4');
    expect(await shell.run('history | tail -n 2')).toMatch(/PIPESTATUS.*\n.*history \| tail/);
    expect(await shell.run('trap - EXIT; trap; alias; echo "[$!]"')).toBe('[]');
  });

  test('a name that is nearly a command is answered with the command, any other with the words of bash', async ({
    expect,
    start,
  }) => {
    const shell = await start();
    expect(await shell.run('todo_write x; echo $?')).toBe(
      'todo_write: command not found; did you mean TodoWrite?\n127',
    );
    expect(await shell.run('todonotes; echo $?')).toBe('bash: todonotes: command not found\n127');
    shell.type('TodoRe');
    shell.press('Tab');
    await shell.until('the completion', (text) => /p> TodoRead *$/.test(text));
  });

  test('where the user has an answer to unknown names, it stays', async ({ expect, start }) => {
    const bashrc = "PS1='p> '; command_not_found_handle() { echo my answer; }";
    const shell = await start({ home: { '.bashrc': bashrc } });
    expect(await shell.run('todo_write x')).toBe('my answer');
  });

  test('with any shell options and names of the user, the panel is drawn without a word', async ({
    expect,
    start,
  }) => {
    const bashrc = `
      PS1='p> '
      set -euf; shopt -s failglob nocasematch; IFS=/; set -o noclobber
      PROMPT_COMMAND='true of the user' PS0='before\\n'
      HISTCONTROL=ignoreboth
      alias printf='echo aliased' local='echo aliased' shopt=false`;
    const shell = await start({ home: { '.bashrc': bashrc }, list: LIST });
    // Our hook is another element or, before bash 5.1, another line.
    const output = await shell.run('echo "$-" "${PROMPT_COMMAND%%[[:cntrl:]]*}"');
    expect(output).toBe('before\nefhimuBCHs true of the user');
    expect(await shell.run("alias printf; IFS=' '")).toBe("before\nalias printf='echo aliased'");
    await shell.untilPanel();
  });

  test('a DEBUG trap of the prompt sees the commands of the user only, before they run', async ({
    expect,
    start,
  }) => {
    const bashrc = `
      PS1='p> ' ready= seen=
      trap 'if [ -n "$ready" ]; then ready= seen+="$BASH_COMMAND;"; fi' DEBUG
      PROMPT_COMMAND='code=$? ready=1'`;
    const shell = await start({ home: { '.bashrc': bashrc } });
    await shell.write(...LIST);
    await shell.run('false');
    expect(await shell.run('echo "$code ${seen#*;}"')).toBe('1 false;echo "$code ${seen#*;}";');
  });

  // Before bash 5.1 it is no array: setting it later removes the panel.
  test.runIf(bashIsSince(5, 1))(
    'a prompt and a PROMPT_COMMAND that are set later work, and the panel stays',
    async ({ expect, start }) => {
      const shell = await start({ list: LIST });
      shell.enter(`PROMPT_COMMAND='PS1="$((++n)) p> "'`);
      await shell.until('the first', (text) => /\n1 p>\n┌─ Tasks/.test(text));
      shell.enter('true');
      await shell.until('the second', (text) => /\n2 p>\n┌─ Tasks/.test(text));
      shell.enter('unset PROMPT_COMMAND; PS0=; echo gone');
      await shell.until('no more panel', (text) => /\ngone\n2 p>$/.test(text));
      shell.enter('echo next');
      await shell.until('the next', (text) => /\nnext\n2 p>$/.test(text));
      expect(panels(shell.all())).toBe(0);
    },
  );

  test('nothing is drawn where echo is off, on a dumb terminal, and with TODO_PANEL=off', async ({
    expect,
    start,
  }) => {
    const shell = await start();
    shell.enter(`stty -echo; ${writeLine(...LIST)}`);
    await shell.until('the reply', (text) => /updated: .*\np>$/.test(text));
    shell.enter('stty echo; export TODO_PANEL=off; echo off');
    await shell.until('no panel', (text) => /[\n ]off\np>$/.test(text));
    // A job in the background could tell nobody otherwise.
    expect(await shell.run('echo "[$AGENT_SHELL_PROMPT]"')).toBe('[]');
    shell.enter('TODO_PANEL=auto TERM=dumb; echo dumb');
    await shell.until('no panel', (text) => /\ndumb\np>$/.test(text));
    await shell.run('TERM=screen; shopt -u promptvars');
    expect(await shell.run('shopt -s promptvars; echo text')).toBe('text');
    expect(await shell.untilPanel()).toHaveLength(5);
  });

  test('an invalid TODO_PANEL gets one warning, and means auto', async ({ expect, start }) => {
    const shell = await start({ env: { TODO_PANEL: 'yes please' } });
    await shell.write(...LIST);
    const warnings = shell.all().match(/^Warning: .*/gm);
    expect(warnings).toEqual([
      "Warning: TODO_PANEL must be auto, off or plain, received 'yes please'; using auto",
    ]);
  });

  test('--panel=plain prints each change in words, once', async ({ expect, start }) => {
    const shell = await start({ argv: '--panel=plain' });
    shell.enter(writeLine(...LIST));
    await shell.until('the report', (text) =>
      /\nTasks 1\/3: in progress: Building; completed: Plan; 3 added\np>$/.test(text),
    );
    expect(await shell.run('echo hi')).toBe('hi');
    shell.enter(writeLine('[x] Plan', '[x] Build', '[ ] Ship'));
    await shell.until('the report', (text) => /\nTasks 2\/3: completed: Build\np>$/.test(text));
  });

  test('a terminal without Unicode gets ASCII, and NO_COLOR no colours', async ({
    expect,
    start,
  }) => {
    const env = { LC_ALL: 'C', NO_COLOR: '1' };
    const shell = await start({ env });
    shell.enter(writeLine(...LIST));
    await shell.until('the panel', (text) => /\np>\n\+- Tasks -+ 1\/3 -\+\n\| x Plan/.test(text));
    expect(shell.styledScreen()).not.toMatch(/[[;](3[0-8]|9[0-7])[;m]/);
  });

  test('the user’s startup files are read: a login shell’s, another rc file, or none', async ({
    expect,
    start,
  }) => {
    const home = {
      '.bashrc': "PS1='p> '; rc=bashrc\n",
      '.bash_profile': "PS1='p> '; rc=profile; PATH=/usr/bin:/bin\n",
      other: "PS1='p> '; rc=other\n",
    };
    const show = 'shopt -q login_shell && echo login; echo "$rc $HISTFILE"; shopt -o posix';
    const seen: string[] = [];
    for (const argv of ['', '-l', '--rcfile ../other -i']) {
      const shell = await start({ home, argv, history: true });
      const { pid } = shell;
      seen.push((await shell.run(show)).replaceAll(shell.home, '~').replace(/\s+/g, ' '));
      await shell.run(`PATH=$PATH:'${process.execPath.replace(/\/node$/, '')}'`);
      await shell.write(...LIST);
      shell.enter('exit');
      await eventually('its end', () => !isAlive(pid));
    }
    const history = '~/.bash_history posix off';
    expect(seen).toEqual([`bashrc ${history}`, `login profile ${history}`, `other ${history}`]);
  });

  test.for<[string, (shell: PersonsShell) => void, number]>([
    ['exit 5', (shell: PersonsShell) => shell.enter('exit 5'), 5],
    ['Ctrl-D', (shell: PersonsShell) => shell.press('C-d'), 0],
    ['SIGHUP', (shell: PersonsShell) => process.kill(shell.child, 'SIGHUP'), 129],
    ['SIGKILL', (shell: PersonsShell) => process.kill(shell.child, 'SIGKILL'), 137],
  ])(
    '%s leaves the terminal as it was, and no process',
    async ([, end, exitCode], { expect, start }) => {
      const shell = await start({ fromBash: true });
      await shell.write(...LIST);
      end(shell);
      await shell.until(
        'the outer prompt', // The line that started it may be wrapped.
        (text) => text.replaceAll('\n', '').split('outer>').length === 3,
      );
      if (exitCode !== 137) {
        expect(shell.screen()).not.toMatch(/[┐│└]/);
        expect(shell.ask('#{scroll_region_lower}')).toBe('23');
      }
      expect(readFileSync(`/proc/${shell.pid}/task/${shell.pid}/children`, 'utf8')).toBe('');
      shell.enter(
        'code=$?; clear; echo $code; stty -a | tr " " "\\n" | grep -xE -e "-?(echo|icanon)"',
      );
      const screen = await shell.until('the modes', (text) => /^-?echo$/m.test(text));
      expect(screen).toContain(`${exitCode}\nicanon\necho`);
    },
  );
});

test.runIf(hasTmux)(
  'the leftovers of a killed shell are cleared at the next prompt of an agent-shell',
  async ({ expect, start }) => {
    const shell = await start({ fromBash: true, list: LIST });
    process.kill(shell.child, 'SIGKILL');
    await shell.until('the outer prompt', (text) => /Killed\nouter>/.test(text));
    shell.press('Up');
    shell.press('Enter');
    await shell.untilPanel();
    shell.enter('exec dash');
    await shell.until('the end', (text) => /\nouter>$|\n[#$]$/.test(text));
    expect(shell.screen()).not.toMatch(/[┌│└]/);
    expect(shell.ask('#{scroll_region_lower}')).toBe('23');
  },
);

test.runIf(hasProc)('a shell that was replaced with `exec bash` gets no signal', async () => {
  const line = 'export AGENT_SHELL_PROMPT=$$; echo; read -r; exec bash -c "echo; read -r"';
  const shell = spawn('bash', ['-c', line], { stdio: ['pipe', 'pipe', 'inherit'] });
  const told = () => promptShell({ AGENT_SHELL_PROMPT: `${shell.pid}` });
  await once(shell.stdout, 'data');
  expect(told()).toBe(shell.pid);
  shell.stdin.write('\n');
  await once(shell.stdout, 'data');
  expect(told()).toBe(0);
  shell.stdin.end();
});

test('TODO_PANEL=off keeps prompts clean, and watch is the viewer all the same', () => {
  const isPlain = (environment: Record<string, string>, ...argv: string[]) => {
    const read = parseArguments(['watch', ...argv], environment);
    return read.mode === 'watch' && read.plain;
  };
  expect(isPlain({ TODO_PANEL: 'off' })).toBe(false);
  expect(isPlain({ TODO_PANEL: 'plain' })).toBe(true);
  expect(isPlain({}, '--no-panel')).toBe(true);
  expect(isPlain({}, '--panel=plain')).toBe(true);
});
