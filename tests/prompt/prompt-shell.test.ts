import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { promptShell } from '../../src/prompt/prompt-shell.ts';
import { FRESH_COLOURS } from '../../src/screen/panel/theme.ts';
import { TodoHome } from '../../src/todo/todo-home.ts';
import { items } from '../guidance/agent-session.ts';
import { bashIsSince } from '../helpers/bash.ts';
import { callCommand } from '../helpers/commands.ts';
import { eventually } from '../helpers/eventually.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { forAllTests } from '../helpers/for-all-tests.ts';
import { hasPanelBelow, PersonsShell, panels, writeLine } from '../helpers/persons-shell.ts';
import { hasProc, isAlive, processesWith } from '../helpers/processes.ts';

const LIST = ['[x] Plan', '[>] Build <- Building', '[ ] Ship'] as const;
const start = PersonsShell.start;

/** Another process writes the list. */
const update = ({ home, project }: PersonsShell, ...lines: readonly string[]) =>
  new TodoHome({ HOME: home }, project).open({}).update(items(...lines));

describe.skipIf(!hasPanelBelow)('in one interactive shell', () => {
  const shared = forAllTests(async (finished) => {
    const bin = temporaryDirectory(finished);
    const log = join(bin, 'log');
    const node = `#!/bin/sh\necho started >> '${log}'\nexec '${process.execPath}' "$@"\n`;
    writeFileSync(join(bin, 'node'), node, { mode: 0o755 });
    writeFileSync(log, '');
    const env = { PATH: `${bin}:${process.env.PATH}` };
    const shell = await start({ columns: 300, rows: 26, env, onTestFinished: finished });
    return { shell, startsOfNode: () => readFileSync(log, 'utf8') };
  });

  let count = 0;

  /** The shell in its work tree, with these settings only, this list, and nothing on the screen but a number and a prompt. */
  async function shellWith(list: readonly string[], settings = ''): Promise<PersonsShell> {
    const { shell } = await shared();
    update(shell, ...list);
    const begin = 'wait; stty -tostop; unset ${!TODO_*} LC_ALL NO_COLOR; cd ~/project; rm -f go';
    const set = settings && `export ${settings};`;
    shell.enter(`${begin}; ${set} clear; echo ${++count}`);
    const isBegun = (text: string) => new RegExp(`^${count}\np>(\n[┌│└✓].*)*$`).test(text);
    await shell.until('an empty screen', isBegun);
    if (list.length > 0) await shell.untilPanel();
    shell.clearHistory();
    return shell;
  }

  /** Starts a job that waits. Returns the function that lets it run these commands. */
  async function startJob(shell: PersonsShell, commands: string): Promise<() => void> {
    await shell.run('mkfifo go');
    shell.enter(`(: <go; ${commands}) &`);
    await shell.until('the job has begun', (text) => /\[1\] \d+\np> *(\n┌[^┘]*┘)?$/.test(text));
    return () => writeFileSync(join(shell.project, 'go'), '');
  }

  /** This text in a row that stands out. */
  const fresh = (text: string) => new RegExp(`48;5;${FRESH_COLOURS.unknown.behind}m[^│]*${text}`);

  test('a line that replaces PATH, as . /etc/profile does, takes the agent commands from no later one', async () => {
    const shell = await shellWith(LIST);
    await shell.run(`was=$PATH PATH=/usr/bin:/bin:${dirname(process.execPath)}`);
    expect(await shell.run('TodoRead --line')).toContain('Building');
    await shell.run('PATH=$was');
  });

  describe('the panel', () => {
    test('stands below the prompt, once, with the latest list', async () => {
      const shell = await shellWith(LIST);
      const written = shell.record();
      await shell.write('[x] Plan', '[x] Build', '[>] Send it <- Sending it');
      const rows = await shell.untilPanel((panel) => panel.some((row) => row.includes('Sending')));
      const FRESH = fresh('(Build|Sending)');
      await eventually('it stood out', () => FRESH.test(written()));
      const short = (row: string) =>
        row
          .replace(
            /(?: {2,}\d[\dms ]*)?(?<= ) *│$|(?<=since )\d\d:\d\d| {2,}| ─+ | ─+.$|─{9,}/g,
            '',
          )
          .trimEnd();
      expect(rows.map(short)).toEqual([
        '┌─ Tasks+1 −12/3',
        '│ ✓ Plan',
        '│ ✓ Build',
        '│ ● Sending it...since',
        '└┘',
      ]);
      expect(panels(shell.all())).toBe(1);
      // Until the next prompt.
      shell.press('Enter');
      await eventually('it is as the others', () => !FRESH.test(shell.styledScreen()));
      expect(shell.screen()).not.toContain('+1');
      expect(panels(shell.all())).toBe(1);
    });

    test('is told apart by Tab: where items are named stand the places of open ones, and each command has its options', async () => {
      const shell = await shellWith(LIST);
      for (const [line, choices] of [
        ['TodoWrite --done ', /^2 +3\n/m],
        ['TodoProve ', /-h +2 +3\n/m],
        ['TodoProve --s', /^--session +--start\n/m],
        ['TaskProve --', /^--agent +--help +--list/m],
      ] as const) {
        shell.type(line);
        shell.press('Tab');
        shell.press('Tab');
        await shell.until(`the choices of ${line}`, (text) => choices.test(text));
        shell.press('C-u');
      }
    });

    test('is below the prompt at the top after Ctrl-L', async () => {
      const shell = await shellWith(LIST);
      shell.press('C-l');
      await shell.until('the prompt at the top', (text) => /^p>\n┌─ Tasks/.test(text));
      expect(panels(shell.all())).toBe(1);
    });

    test('is redrawn by TodoWrite in the background, and typed text stays, also below the cursor', async () => {
      const shell = await shellWith([]);
      const go = await startJob(shell, `${writeLine(...LIST)} >/dev/null`);
      shell.type('echo half');
      go();
      await shell.until('the panel', (text) => /^p> echo half\n┌─ Tasks/m.test(text));
      shell.type(' and the rest');
      shell.press('Enter');
      const screen = await shell.untilPanel().then(() => shell.all());
      expect(screen).toContain('p> echo half and the rest\nhalf and the rest\n');
      expect(panels(screen)).toBe(1);
      const next = await startJob(shell, 'TodoWrite --done 2 --start 3 >/dev/null');
      shell.type(`: ${'x'.repeat(400)} end`);
      shell.press('C-a');
      next();
      await shell.until('the new panel', (text) => / end\n┌─ Tasks.*\n.*\n.*\n│ ● Ship/.test(text));
      shell.press('C-k');
    });

    test('is redrawn below the output of a TodoWrite in the background, and is still the only one', async () => {
      update((await shared()).shell, '[>] Plan', '[ ] Build', '[ ] Ship');
      const shell = await shellWith(LIST);
      (await startJob(shell, 'TodoWrite --done 2 --start 3'))();
      const screen = await shell.until('the new panel', (text) => /● Ship/.test(text));
      expect(screen).toMatch(
        /\np> Todo list updated: 2 completed.*\nNow 3: \w+\n┌─ Tasks .* 2\/3 ─┐\n/,
      );
      expect(panels(screen)).toBe(1);
      const rows = shell
        .styledScreen()
        .split('\n')
        .filter((row) => fresh('').test(row));
      expect(rows.map((row) => /(?<=[✓●] )\w+/.exec(row)?.[0])).toEqual(['Build', 'Ship']);
      expect(shell.ask('#{scroll_region_lower}')).toBe('20');
      shell.press('Enter');
      await shell.untilPanel();
    });

    test('is not redrawn by TodoWrite in the background under stty tostop, which would stop the writer', async () => {
      const shell = await shellWith(LIST);
      await shell.run('stty tostop; mkfifo stay');
      // While the job lives, the terminal can stop what it has started.
      const commands = 'TodoWrite --done 2 --start 3 >/dev/null; : >ended <stay';
      (await startJob(shell, commands))();
      await eventually('it has ended', () => existsSync(join(shell.project, 'ended')));
      const writers = () =>
        processesWith(shell.home).filter(({ command }) => / again todos$/.test(command));
      await eventually('no writer is left', () => writers().length === 0);
      writeFileSync(join(shell.project, 'stay'), '');
      shell.press('Enter');
      const screen = await shell.until('the new panel', (text) => /● Ship/.test(text));
      expect(panels(screen)).toBe(1);
    });

    test('is where it was when a job prints at the prompt, and Ctrl-C leaves nothing of it above', async () => {
      const shell = await shellWith(LIST);
      const go = await startJob(shell, 'seq 29; echo end');
      shell.type('half');
      await shell.until('typed', (text) => /\np> half\n┌/.test(text));
      go();
      await shell.until('what it prints', (text) => /\n28\n29\nend\n┌─ Tasks/.test(text));
      await shell.interrupt();
      await shell.untilPanel();
      expect(shell.all().replace(/\n┌[^┘]*┘$/, '')).not.toMatch(/[┌│└]/);
      expect(panels(shell.all())).toBe(1);
    });

    test("keeps clear of bash's reports of ended jobs", async () => {
      const shell = await shellWith(LIST);
      await shell.run('mkfifo go');
      await shell.run('cat go &');
      await shell.run(': >go; while kill -0 $! 2>/dev/null; do sleep 0.01; done');
      await shell.untilPanel();
      expect(shell.screen()).toMatch(/^\[1\]\+ {2}Done +cat go\np>\n┌─ Tasks/m);
    });

    test("shows another process's change at the next prompt, and only the list of this work tree", async () => {
      const shell = await shellWith([]);
      update(shell, ...LIST);
      await shell.run('true');
      expect(await shell.untilPanel()).toHaveLength(5);
      await shell.run('cd / && cd /tmp');
      expect(panels(shell.all())).toBe(0);
      await shell.run('mkdir -p ~/project/src && cd ~/project/src');
      expect(await shell.untilPanel()).toHaveLength(5);
    });

    test('is that of a relative TODO_STATE_DIR, anywhere in the work tree', async () => {
      const shell = await shellWith([], 'TODO_STATE_DIR=.lists');
      await shell.run('git init -q . && mkdir sub && cd sub');
      await shell.write(...LIST);
      expect(await shell.untilPanel()).toHaveLength(5);
      await shell.run('cd ..');
      expect(await shell.untilPanel()).toHaveLength(5);
    });

    test('folds to one line at the command after a list is finished, and goes with the list', async () => {
      const shell = await shellWith([]);
      await shell.write('[x] Plan', '[x] Verify it');
      shell.enter('true');
      await shell.until('the fold', (text) => /\np>\n✓ 2 tasks completed$/.test(text));
      shell.enter(`TodoWrite '{"todos":[]}'`);
      await shell.until('no panel', (text) => /0 pending\np>$/.test(text));
      expect(shell.screen()).not.toContain('✓');
    });

    test('shows the tasks of a team beside the list', async () => {
      const shell = await shellWith(LIST, 'TODO_TEAM=docs');
      await shell.run('TaskCreate --subject "Write the docs" >/dev/null');
      const rows = await shell.untilPanel();
      expect(rows.join('\n')).toMatch(/● Building[\s\S]*#1 Write the docs/);
      const written = shell.record();
      await shell.run('TaskCreate --subject Wait >/dev/null');
      await shell.run('TaskClaim 1 --agent ann >/dev/null');
      await eventually('it stood out', () => fresh('Write the docs').test(written()));
      expect(written()).not.toMatch(fresh('Wait'));
    });

    test('costs no process at a prompt where no list has changed, and leaves none behind', async () => {
      const shell = await shellWith([]);
      const { startsOfNode } = await shared();
      const atFirst = startsOfNode();
      const jobs = await shell.run('jobs; echo "[$!]"');
      expect(startsOfNode()).toBe(atFirst);
      await shell.write(...LIST);
      const before = startsOfNode();
      expect(before).not.toBe(atFirst);
      expect(await shell.run('jobs; echo "[$!]"')).toBe(jobs);
      await shell.untilPanel();
      expect(startsOfNode()).toBe(before);
      const children = readFileSync(`/proc/${shell.pid}/task/${shell.pid}/children`, 'utf8');
      expect(children.trim()).toBe('');
    });

    test('is not drawn where echo is off, on a dumb terminal, and with TODO_PANEL=off', async () => {
      const shell = await shellWith([]);
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

    test('is ASCII where the terminal has no Unicode, and without colours with NO_COLOR', async () => {
      const shell = await shellWith([], 'LC_ALL=C NO_COLOR=1');
      shell.enter(writeLine(...LIST));
      await shell.until('the panel', (text) => /\np>\n\+- Tasks -+ 1\/3 -\+\n\| x Plan/.test(text));
      expect(shell.styledScreen()).not.toMatch(/[[;](3[0-8]|9[0-7])[;m]/);
    });
  });

  describe('guidance', () => {
    const OFTEN = 'TODO_GUIDANCE=all TODO_REMINDER_TURNS=2';

    test('a reminder is dim, on lines of its own before the prompt, and comes once', async () => {
      const shell = await shellWith([], OFTEN);
      update(shell, '[>] Fix it', '[ ] Ship it');
      // A command during which another process wrote the list counts.
      await shell.run('true one');
      expect(await shell.run('echo two')).toBe(`two
Note: 2 commands since the last TodoWrite; 2 items unfinished. Update the list if it is out of date:
Note: [>] Fix it
Note: [ ] Ship it`);
      // tmux prints the style once for consecutive rows.
      const styled = shell.styledScreen().replaceAll('\x1b[0m\n\x1b[2m', '\n');
      expect(styled).toMatch(/\x1b\[2mNote: 2 commands[^\x1b]*\nNote: \[ \] Ship it\s*\x1b\[0m/);
      await shell.resize(280, 24);
      expect(await shell.run('echo three')).toBe('three');
      await shell.resize(300, 24);
    });

    test('a person who has not set TODO_GUIDANCE=all is never reminded', async () => {
      const shell = await shellWith(['[>] Run the tests'], 'TODO_REMINDER_TURNS=1');
      for (const line of ['true', 'false', 'true 3']) expect(await shell.run(line)).toBe('');
      expect(await shell.run(writeLine('[x] Run the tests'))).not.toContain('Note:');
    });

    test('only lines run at this prompt count as work', async () => {
      const shell = await shellWith(['[>] Run the tests', '[ ] Verify it'], 'TODO_GUIDANCE=all');
      await shell.run('pytest() { return ${code-1}; }');
      await shell.run('pytest -q');
      const note =
        'Note: the last test command exited with 1 and none has succeeded since: pytest -q';
      expect(await shell.run(writeLine('[x] Run the tests', '[>] Verify it'))).toContain(note);
      await shell.write('[>] Run all tests');
      update(shell, '[x] Run all tests');
      expect(await shell.run('true')).toBe('');
    });

    test("other agents' changes are reported at the prompt, once, and an agent is reminded of its tasks", async () => {
      const shell = await shellWith([], `${OFTEN} TODO_TEAM=blue TODO_AGENT=ann`);
      const lists = { TODO_STATE_DIR: join(shell.home, '.local/state/todowrite') };
      const agent = 'main@11111111-aaaa-4bbb-8ccc-123456789abc';
      const lead = { ...lists, TODO_TEAM: 'blue', TODO_AGENT: agent };
      await callCommand(lead, 'TaskCreate', ['--subject', 'A', '--owner', 'ann'], { cwd: '/' });
      expect(await shell.run('echo hi')).toBe('hi\nNote: #1 "A": assigned to you by Claude 1111');
      expect(await shell.run('echo hi')).toBe('hi');
      expect(await shell.run('TaskClaim 1')).not.toContain('Note');
      expect(await shell.run('true 1')).toBe('');
      expect(await shell.run('true 2')).toMatch(/^Note: nothing .* for 2 commands.*\nNote: #1 A$/);
    });
  });

  test('$?, $_, PIPESTATUS, BASH_REMATCH, traps, aliases and the history are those of the user', async () => {
    const shell = await shellWith(LIST);
    await shell.run('false one two');
    expect(await shell.run('echo "$? $_"')).toBe('1 two');
    await shell.run('[[ ab12 =~ [0-9] ]]');
    expect(await shell.run('echo "${BASH_REMATCH[*]}"')).toBe('1');
    await shell.run('true | (exit 3) | (exit 4)');
    expect(await shell.run('echo "${PIPESTATUS[*]}"')).toBe('0 3 4');
    expect(await shell.run('history | tail -n 2')).toMatch(/PIPESTATUS.*\n.*history \| tail/);
    expect(await shell.run('trap - EXIT WINCH; trap; alias')).toBe('');
    await shell.run("trap 'echo failed' ERR");
    expect(await shell.run('false')).toBe('failed');
    expect(await shell.run('trap - ERR; set -x')).toBe('');
    expect(await shell.run('set +x')).toBe('+ set +x');
  });

  test('a name that is nearly a command is answered with the command, any other with the words of bash', async () => {
    const shell = await shellWith([]);
    expect(await shell.run('TodoWirte x; echo $?')).toBe(
      'TodoWirte: command not found; did you mean TodoWrite?\n127',
    );
    expect(await shell.run('todonotes; echo $?')).toBe('bash: todonotes: command not found\n127');
    shell.type('TodoRe');
    shell.press('Tab');
    await shell.until('the completion', (text) => /p> TodoRead *$/.test(text));
    shell.press('C-u');
    await shell.untilPrompt();
  });

  test('Tab behind a command prints nothing where there is no node', async () => {
    const shell = await shellWith([]);
    await shell.run('__todo_node=/nowhere/node; complete -F __todo_complete TodoWrite');
    shell.type('TodoWrite --');
    shell.press('Tab');
    shell.type('x');
    await shell.until('the line', (text) => /TodoWrite --x *$/m.test(text));
    expect(shell.screen()).not.toContain('No such file');
    shell.press('C-u');
    await shell.run('__todo_node=node');
  });

  // Before bash 5.1 it is no array: setting it later removes the panel. No other test follows, since it removes the panel, too.
  test.runIf(bashIsSince(5, 1))(
    'a prompt and a PROMPT_COMMAND that are set later work, and the panel stays',
    async () => {
      const shell = await shellWith(LIST);
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
});

describe.skipIf(!hasPanelBelow)('an interactive shell', () => {
  test('of another size has one panel of that size, below the typed text', async () => {
    const shell = await start({ list: LIST });
    shell.type('echo half');
    await shell.until('typed', (text) => text.includes('echo half'));
    await shell.resize(30, 24);
    await shell.until('only the new rows', (text) =>
      /^p> echo half\n┌─ Tasks.{20}┐\n(?:│.{27}│\n){3}└─{27}┘$/.test(text),
    );
    await shell.untilIdle();
    await shell.resize(20, 24);
    await shell.until('no frame', (text) => /^p> echo half\n✓ Plan.*\n● .*\n○ Ship$/.test(text));
    for (const [columns, rows] of [
      [80, 12],
      [40, 12],
      [100, 30],
      [50, 14],
    ] as const) {
      shell.type('half');
      await shell.untilIdle();
      await shell.resize(columns, rows);
      const width = Math.min(columns - 1, 100);
      await shell.until('it is there', (text) =>
        new RegExp(`half\\n┌─ Tasks.{${width - 9}}┐\\n(│.*\\n){3}└.*$`).test(text),
      );
      expect(shell.all().match(/[┌└]/g)).toHaveLength(2);
    }
  });

  test('of another size keeps the user’s trap for that, and wait waits on', async () => {
    const shell = await start({ list: LIST });
    await shell.run(`trap 'echo sized >>~/sizes' WINCH; mkfifo go`);
    shell.type('echo half');
    await shell.until('typed', (text) => text.includes('echo half'));
    await shell.resize(50, 20);
    await shell.until('the new rows', (text) => /half\n┌─ Tasks.{40}┐\n/.test(text));
    await eventually('their trap', () => existsSync(join(shell.home, 'sizes')));
    shell.press('C-u');
    await shell.run('trap - WINCH');
    shell.enter('cat go & wait $!; echo "waited $?"');
    await shell.until('the job', (text) => /\[1\] \d+$/.test(text));
    await shell.resize(60, 20);
    await shell.resize(70, 20);
    writeFileSync(join(shell.project, 'go'), '');
    await shell.until('its end', (text) => /\nwaited 0\np>/.test(text));
    expect(await shell.run('trap -p WINCH | grep -c __todo')).toBe('1');
  });

  test('draws the panel for a size that came while it drew the panel for the one before', async () => {
    const bin = temporaryDirectory();
    const node = `#!/bin/sh
case "$*" in
  *reading) answer=$('${process.execPath}' "$@"; echo .)
    if mv "$HOME/go" "$HOME/come"; then : <"$HOME/come"; fi
    printf %s "\${answer%.}" ;;
  *) exec '${process.execPath}' "$@" ;;
esac\n`;
    writeFileSync(join(bin, 'node'), node, { mode: 0o755 });
    const shell = await start({ list: LIST, env: { PATH: `${bin}:${process.env.PATH}` } });
    await shell.run('mkfifo ~/go');
    await shell.resize(60, 20);
    await eventually('it is being drawn', () => existsSync(join(shell.home, 'come')));
    await shell.resize(70, 22);
    writeFileSync(join(shell.home, 'come'), '');
    await shell.until('the new rows', (text) => /^p>\n┌─ Tasks.{60}┐\n/m.test(text));
  });

  test('of another size says nothing in a line that is continued in quotes', async () => {
    const shell = await start({ list: LIST });
    shell.enter(`echo 'one`);
    await shell.until('its next row', (text) => text.includes('\n>\n┌'));
    await shell.untilIdle();
    await shell.resize(60, 20);
    shell.enter(`two'`);
    await shell.until('both rows', (text) => /\none\ntwo\np>\n┌─ Tasks.{50}┐\n/.test(text));
    expect(shell.all()).not.toContain('syntax error');
  });

  test('knows a size that came while a builtin ran', async () => {
    const shell = await start({ list: LIST });
    shell.enter('read -p "name? " name');
    await shell.until('the question', (text) => text.endsWith('name?'));
    await shell.resize(60, 20);
    shell.press('Enter');
    await shell.until('the new rows', (text) => /\np>\n┌─ Tasks.{50}┐\n/.test(text));
    expect(await shell.run('echo $COLUMNS $LINES')).toBe('60 20');
  });

  test.each(['emacs', 'vi'])(
    'in %s mode shows the typed line as it is after a count, and the panel after a new size',
    async (mode) => {
      const shell = await start({ list: LIST });
      await shell.run(`set -o ${mode}`);
      shell.type('echo one two three');
      if (mode === 'vi') {
        shell.press('Escape');
        shell.type('3b');
      } else {
        shell.press('M-3');
        shell.press('M-b');
      }
      shell.press('C-k');
      shell.press('D');
      await shell.until('a part', (text) => /^p> echo *D?\n┌─ Tasks/m.test(text));
      await shell.resize(50, 12);
      await shell.until('the new rows', (text) => /^p> echo *D?\n┌─ Tasks.{40}┐\n/m.test(text));
      expect(shell.all().match(/[┌└]/g)).toHaveLength(2);
    },
  );

  test('warns once of an invalid TODO_PANEL, and starts no process that waits for its end with TODO_RELEASE_AT_EXIT=0', async () => {
    const env = { TODO_PANEL: 'yes please', TODO_RELEASE_AT_EXIT: '0' };
    const shell = await start({ columns: 100, env, argv: '--agent main', list: LIST });
    expect(await shell.run('echo "${AGENT_SHELL_SESSION-none}"')).toBe('none');
    await shell.untilPanel();
    expect(shell.all().match(/^Warning: .*/gm)).toEqual([
      "Warning: TODO_PANEL must be auto, off or plain, received 'yes please'; using auto",
    ]);
  });

  test('with any shell options and names of the user draws the panel without a word, and answers unknown names as theirs does', async () => {
    const bashrc = `
      PS1='p> '
      set -euf; shopt -s failglob nocasematch; IFS=/; set -o noclobber
      PROMPT_COMMAND='true of the user' PS0='before\\n'
      HISTCONTROL=ignoreboth
      command_not_found_handle() { echo my answer; }
      alias printf='echo aliased' local='echo aliased' shopt=false builtin=false command=false`;
    const shell = await start({ home: { '.bashrc': bashrc }, list: LIST });
    // Our hook is another element or, before bash 5.1, another line.
    const output = await shell.run('echo "$-" "${PROMPT_COMMAND%%[[:cntrl:]]*}"');
    expect(output).toBe('before\nefhimuBCHs true of the user');
    expect(await shell.run('TodoWirte x')).toBe('before\nmy answer');
    expect(await shell.run("alias printf; IFS=' '")).toBe("before\nalias printf='echo aliased'");
    await shell.untilPanel();
  });

  test.each([
    [
      'of ~/.bashrc',
      `trap 'if [ -n "$ready" ]; then ready= seen+="$BASH_COMMAND;"; fi' DEBUG
      PROMPT_COMMAND='code=$? ready=1'`,
    ],
    [
      'of each prompt',
      `before() { trap '' DEBUG; seen+="$BASH_COMMAND;"; }
      after-each() { code=$?; trap before DEBUG; }
      PROMPT_COMMAND='after-each'`,
    ],
  ])(
    'lets a DEBUG trap %s see the commands of the user only, before they run',
    async (_of, hooks) => {
      const bashrc = `PS1='p> ' ready= seen=; ${hooks}`;
      const shell = await start({ home: { '.bashrc': bashrc }, list: LIST });
      await shell.run('false');
      expect(await shell.run('echo "$code $seen"')).toBe('1 false;echo "$code $seen";');
    },
  );

  test('with --panel=plain prints each change in words, once', async () => {
    const shell = await start({ argv: '--panel=plain' });
    shell.enter(writeLine(...LIST));
    await shell.until('the report', (text) =>
      /\nTasks 1\/3: in progress: Building; completed: Plan; added: Ship\np>$/.test(text),
    );
    expect(await shell.run('echo hi')).toBe('hi');
    shell.enter(writeLine('[x] Plan', '[x] Build', '[ ] Ship'));
    await shell.until('the report', (text) => /\nTasks 2\/3: completed: Build\np>$/.test(text));
    expect(await shell.run('TaskCreate --subject A')).toContain('\nTeam tasks 0/1: added: #1 A');
  });

  test('reads the user’s startup files (a login shell’s, another rc file, or none), and runs the EXIT trap alone at its end', async () => {
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
      await shell.run(`trap 'echo failed >>~/end' ERR; trap 'echo "bye $?" >>~/end' EXIT`);
      shell.enter('exit 6');
      await eventually('its end', () => !isAlive(pid));
      expect(readFileSync(join(shell.home, 'end'), 'utf8')).toBe('bye 6\n');
    }
    const history = '~/.bash_history posix off';
    expect(seen).toEqual([`bashrc ${history}`, `login profile ${history}`, `other ${history}`]);
  });

  test('leaves the terminal as it was and no process; what a killed one leaves goes at the next prompt', async () => {
    const shell = await start({ fromBash: true, list: LIST });
    const ends = [
      [137, () => process.kill(shell.child, 'SIGKILL'), /Killed[\s\S]*\nouter>/],
      [129, () => process.kill(shell.child, 'SIGHUP'), /outer>$/],
      [5, () => shell.enter('exit 5'), /\nexit\nouter>$/],
      // The EXIT trap of the user runs as it would.
      [1, () => shell.press('C-d'), /\np>\sexit\nbye 1\nouter>$/],
    ] as const;
    const before: Record<number, string> = {
      5: 'set -o posix; trap - EXIT',
      1: `trap 'echo "bye $?"' EXIT; false`,
    };
    for (const [exitCode, end, screen] of ends) {
      await shell.untilPanel();
      expect(panels(shell.screen())).toBe(1);
      if (before[exitCode]) await shell.run(before[exitCode]);
      await shell.untilIdle(shell.child);
      await end();
      await shell.until('the outer prompt', (text) => screen.test(text));
      if (exitCode !== 137) {
        expect(shell.screen()).not.toMatch(/[┐│└]/);
        expect(shell.ask('#{scroll_region_lower}')).toBe('23');
      }
      expect(readFileSync(`/proc/${shell.pid}/task/${shell.pid}/children`, 'utf8')).toBe('');
      shell.enter('echo $?; stty -a | tr " " "\\n" | grep -xE -e "-?(echo|icanon)"');
      const modes = `\n${exitCode}\nicanon\necho\nouter>`;
      await shell.until('its code and the modes', (text) => text.includes(modes));
      shell.enter('!env');
    }
  });
});

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
