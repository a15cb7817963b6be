import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run } from '../helpers/agent-shell.ts';
import { eventually } from '../helpers/eventually.ts';
import { hasPrograms } from '../helpers/machine.ts';
import { hasPanelBelow, PersonsShell, panels, writeLine } from '../helpers/persons-shell.ts';

const LIST = ['[x] Plan', '[>] Build <- Building', '[ ] Ship'];
const start = (bashrc: string, options: Parameters<typeof PersonsShell.start>[0] = {}) =>
  PersonsShell.start({ home: { '.bashrc': `PS1='p> '\n${bashrc}\n` }, list: LIST, ...options });

/** PS1 is wrapped whenever it is not what was set last, as VS Code and iTerm2 do. */
const WRAP = String.raw`
mark() { printf '\e]633;%s\a' "$1"; }
wrap() { mark D; if [[ $PS1 != "$last" ]]; then last="\[\e]633;A\a\]$PS1\[\e]633;B\a\]"; PS1=$last; fi; ready=1; }
PROMPT_COMMAND=wrap`;
const DEBUG = `trap 'if [ -n "$ready" ]; then ready=; mark C; fi' DEBUG`;

test.each(['"\\C-g": "seq 9 | less"', '"\\C-g" "seq 9 | less"'])(
  'a key that starts a program is known as bash lists it, since 5.3 without a colon: %s',
  async (listed) => {
    const line = '. ./prompt-hooks.bash; set -o emacs; keymap=emacs; __todo_wrap_key "$1"; bind -X';
    const hooks = join(import.meta.dirname, '../../src/prompt');
    const { stdout } = await run('bash', ['--norc', '-c', line, 'bash', listed], { cwd: hooks });
    expect(stdout).toMatch(/C-g":? "\{ __todo_free .*seq 9 \| less.*__todo_again/);
  },
);

describe.skipIf(!hasPanelBelow)('at a prompt', () => {
  test.each([
    ['a DEBUG trap', `${WRAP}\n${DEBUG}`],
    ['no DEBUG trap', WRAP],
  ])('of an editor that wraps PS1, with %s, PS1 does not grow', async (_, bashrc) => {
    const shell = await start(bashrc);
    await shell.run('true');
    const length = await shell.run('echo ${#PS1}');
    for (const line of ['cd /', 'true', 'cd ~/project', 'true']) await shell.run(line);
    expect(await shell.run('echo ${#PS1}')).toBe(length);
    expect(panels(shell.all())).toBe(1);
  });

  test("the panel is not between the marks of a command's output, and the hook is not the user's command", async () => {
    const shell = await start(`${WRAP}\n${DEBUG}\nTODO_GUIDANCE=all TODO_REMINDER_TURNS=1`);
    const written = shell.record();
    await shell.run('echo one');
    await shell.run('false');
    expect(await shell.run('echo $?')).toMatch(/^1\b/);
    await shell.write('[x] Plan', '[x] Build', '[>] Ship <- Shipping');
    const MARKED = /\x1b\]633;C\x07([\s\S]*?)\x1b\]633;D\x07/g;
    const outputs = await eventually('all four', () => {
      const found = [...written().matchAll(MARKED)];
      return found.length === 4 && found;
    });
    expect(outputs.map(([, text]) => text?.replaceAll('\r', ''))).toEqual([
      'one\n',
      '',
      '1\n',
      expect.stringMatching(/^Todo list updated.*\n$/),
    ]);
    // It is drawn after the last mark.
    await eventually('the panel', () => panels(shell.all()) === 1);
  });

  test.skipIf(!hasPrograms('less'))(
    'a program that a key starts has the whole terminal, and the panel is back after it, with what was typed',
    async () => {
      const shell = await start(String.raw`
bind -x '"\C-g": seq 200 | less'
bind -x '"\C-o": "echo \"a\\b\" | cat; false"'
bind -m vi-insert -x '"\C-t": seq 3'
VISUAL='seq 200 | less; :'`);
      shell.type('echo half');
      shell.press('C-g');
      const numbers = (from: number, to: number) =>
        Array.from({ length: to - from + 1 }, (_, index) => `${from + index}`).join('\n');
      await shell.until('page 1', (text) => text === `${numbers(1, 23)}\n:`);
      shell.press('Space');
      await shell.until('page 2', (text) => text === `${numbers(24, 46)}\n:`);
      shell.press('G');
      await shell.until('the end', (text) => text === `${numbers(178, 200)}\n(END)`);
      shell.press('q');
      await shell.until('the prompt', (text) => /^p> echo half\n┌─ Tasks/.test(text));
      expect(shell.ask('#{scroll_region_lower}')).toBe('18');
      shell.press('C-o');
      await shell.until('its output', (text) => /^"a\\b"\np> echo half\n┌─ Tasks/.test(text));
      // It edits the line in an editor.
      shell.press('C-x');
      shell.press('C-e');
      await shell.until('page 1', (text) => text === `${numbers(1, 23)}\n:`);
      shell.press('q');
      await shell.until('its output', (text) => /\necho half\nhalf\np>\n┌─ Tasks/.test(text));
      await shell.run('set -o vi');
      shell.press('C-t');
      await shell.until('its output', (text) => /\n1\n2\n3\np>\n┌─ Tasks/.test(text));
      expect(panels(shell.all())).toBe(1);
    },
  );

  test('what is edited in an editor runs outside of any function, and the panel is back after it', async () => {
    const shell = await start('VISUAL=true');
    const edit = async (line: string, ...keys: readonly string[]) => {
      shell.type(line);
      for (const key of keys) shell.press(key);
      await shell.until('it has run', (text) => /\ndone\np>\n┌─ Tasks/.test(text));
    };
    await edit('declare -A map=([a]=1); set -- x y; echo done', 'C-x', 'C-e');
    expect(await shell.run('echo "${map[a]} $#"')).toBe('1 2');
    await shell.run('set -o vi');
    await edit('declare -i in_vi=3*4; echo done', 'Escape', 'v');
    expect(await shell.run('echo $in_vi')).toBe('12');
  });

  test('completions of several pages are shown whole, one after another, and in pages again without a panel', async () => {
    const shell = await start("bind 'set completion-query-items 50'");
    await shell.run('mkdir many; touch many/file-that-has-a-long-name-{1000..1199}');
    const list = async () => {
      shell.type('ls many/');
      for (const _ of [1, 2, 3]) shell.press('Tab');
      await shell.until('the question', (text) => text.includes('all 200 possibilities?'));
      shell.type('y');
    };
    await list();
    await shell.until('the end', (text) => /-1199\np> ls many\/file-that.*\n┌─ Tasks/.test(text));
    const shown = shell
      .all()
      .match(/(?<=-long-name-)\d{4}/g)
      ?.map(Number);
    expect(shown?.sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, at) => 1000 + at));
    shell.press('C-u');
    await shell.run('TODO_PANEL=off');
    await list();
    await shell.until('a page', (text) => text.endsWith('--More--'));
    shell.type('q');
  });

  test('an exported PS1 is as the user exported it, for other shells', async () => {
    const shell = await start('export PS1');
    expect(await shell.run(`sh -c 'echo "[$PS1]"'; env | grep -c __todo`)).toBe('[p> ]\n0');
    expect(panels(shell.all())).toBe(1);
    expect(await shell.run('declare +x PS1')).toBe('');
    expect(panels(shell.all())).toBe(1);
  });

  test('where a prompt goes to a row by its number or erases below itself, with ble.sh, and where a program drives the shell, there is no panel', async () => {
    const shell = await start('', { list: undefined });
    const variables = ['MC_SID', 'ROO_ACTIVE', 'OPENCLAW_SHELL', 'TRAE_AI_SHELL_ID'];
    const settings = [
      String.raw`PS1='\[\e[24;1H\]p> '`,
      String.raw`PS1='\[\033[$LINES;1H\]p> '`,
      `PS1='$(tput cup 99 0)p> '`,
      String.raw`b=$'\e[99;1H' PS1='\[$b\]p> '`,
      String.raw`PS1='\[\e[J\]p> '`,
      'BLE_VERSION=0.4.0',
      ...[...variables, 'COPILOT_AGENT_SESSION_ID'].map((name) => `export ${name}=1`),
    ];
    for (const [index, setting] of settings.entries()) {
      shell.enter(`${setting}; ${writeLine(`[>] Try ${index}`)}; clear`);
      await shell.until('a prompt', (text) => /^\n*p>$/.test(text));
      shell.enter(`echo ${index} done`);
      await shell.until('the next', (text) => text.trim().endsWith(`${index} done\np>`));
      expect(shell.ask('#{scroll_region_lower}'), setting).toBe('23');
      const name = setting.replace(/^export |=.*/g, '');
      shell.enter(`unset ${name}; PS1='p> '; clear`);
      await shell.until('a prompt', (text) => /^p>(\n[^p]*)?$/.test(text));
    }
  });
});
