import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, type ExpectStatic, type TestContext, test } from 'vitest';
import { answerPrompt } from '../../src/prompt/prompt-panel.ts';
import { callCommand } from '../helpers/commands.ts';
import { eventually } from '../helpers/eventually.ts';
import { cleanEnvironment, executable } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { hasPrograms, isHere } from '../helpers/machine.ts';
import { hasPanelBelow, PersonsShell } from '../helpers/persons-shell.ts';

const LIST = ['[x] Plan', '[>] Build <- Building', '[ ] Ship'];
const VI = 'set -o vi';

/** VS Code's shell integration, by its documented marks: it runs the hook of the user in its own. iTerm2 writes 133 for 633. */
const marks = (code: number) => String.raw`
mark() { printf '\e]${code};%s\a' "$1"; }
running=1 theirs=$PROMPT_COMMAND
before() { if [ "$running" = 0 ]; then running=1; mark "E;$(history 1)"; mark C; fi; }
after() {
  code=$?
  (exit $code)
  eval "$theirs"
  mark "D;$code"
  mark "P;Cwd=$PWD"
  if [ "$PS1" != "$marked" ]; then marked="\[$(mark A)\]$PS1\[$(mark B)\]"; PS1=$marked; fi
  running=0
}
PROMPT_COMMAND=after
trap 'before "$_"' DEBUG`;
const STARSHIP = String.raw`starship_precmd() { PS1='\n\[\e[1;36m\]~/work\[\e[0m\] on \[\e[1;35m\]main\[\e[0m\]\n\[\e[1;32m\]❯\[\e[0m\] p> '; }`;
const GIT = '/usr/lib/git-core/git-sh-prompt';
const LIQUIDPROMPT = '/usr/share/liquidprompt/liquidprompt';
/** By its documentation: it puts itself around the hooks of others at the first prompt. */
const PREEXEC = `
preexec() { seen=$1; }
precmd() { PS1="$((++prompts % 10)) p> "; }
__bp_preexec() { if [ -n "$__bp_on" ]; then __bp_on=; preexec "$BASH_COMMAND"; fi; }
__bp_install() {
  PROMPT_COMMAND=$'precmd\\n'\${PROMPT_COMMAND/__bp_install/:}$'\\n__bp_on=1'
  trap '__bp_preexec "$_"' DEBUG
  precmd
}`;

/** ~/.bashrc of people, each with a prompt that ends in "p> ". */
const SETUPS: Readonly<Record<string, string>> = {
  'of one word': `PS1='p> '`,
  "of Debian's ~/.bashrc": String.raw`
debian_chroot=
PS1='${'$'}{debian_chroot:+($debian_chroot)}\u@host:~/work p> '
case "$TERM" in xterm*|rxvt*|screen*|tmux*) PS1="\[\e]0;\u@\h: \w\a\]$PS1";; esac`,
  "of Ubuntu's ~/.bashrc": String.raw`PS1='\[\e]0;\u@\h: \w\a\]\[\033[01;32m\]\u@host\[\033[00m\]:\[\033[01;34m\]~/work\[\033[00m\] p> '`,
  'in colours': String.raw`PS1='\[\e[38;5;208m\]me\[\e[0m\] p> \[\e[1m\]\[\e[0m\]'`,
  'wide as nearly a row': `PS1='${'x'.repeat(70)} p> '`,
  'of wide characters': `PS1='日本語 λ p> '`,
  'of powerline glyphs': String.raw`PS1='\[\e[44m\] work \[\e[0;34m\]▶\[\e[0m\] p> '`,
  'below an empty row': String.raw`PS1='\n\[\e[36m\]~/work\[\e[0m\]\np> '`,
  'of two rows in a frame': String.raw`PS1='┌─[\u]─[~/work]\n└─╼ p> '`,
  'with $? and a number': String.raw`PS1='$? \# p> '`,
  exported: `export PS1='p> '`,
  'in vi mode': `${VI}; PS1='p> '`,
  'in vi mode that shows its mode': `${VI}; bind 'set show-mode-in-prompt on'; PS1='p> '`,
  'in vi mode that shows its mode in colours': String.raw`${VI}; bind 'set show-mode-in-prompt on'; bind 'set vi-ins-mode-string "\1\e[32m\2+\1\e[0m\2"'; bind 'set vi-cmd-mode-string "\1\e[31m\2:\1\e[0m\2"'; PS1='\[\e[1m\]p>\[\e[0m\] '`,
  'that shows the mode of emacs': `bind 'set show-mode-in-prompt on'; PS1='p> '`,
  "of starship's init": `${STARSHIP}\nPROMPT_COMMAND=starship_precmd`,
  "of starship's init with a DEBUG trap": `${STARSHIP}\ntrap 'true "$_"' DEBUG\nPROMPT_COMMAND=starship_precmd`,
  'of a hook that sets all anew': String.raw`_lp() { PS1="\[\e[33m\][\u:~/work]\[\e[0m\] \${debian_chroot-}p> "; }; PROMPT_COMMAND=_lp`,
  'of liquidprompt': `. ${LIQUIDPROMPT}; LP_PS1_POSTFIX='p> ' LP_ENABLE_LOAD=0 LP_ENABLE_BATT=0`,
  'with $(__git_ps1)': `. ${GIT}\nPS1='\\u:~$(__git_ps1 " (" ")") p> '`,
  'that __git_ps1 sets': `. ${GIT}\nPROMPT_COMMAND='PS1="\\u$(__git_ps1 a b) p> "'`,
  'of several hooks, as direnv and history -a': `PS1='p> '; PROMPT_COMMAND='history -a'; eval "$(direnv hook bash)"`,
  'of bash-preexec': `${PREEXEC}\nPROMPT_COMMAND=__bp_install`,
  'of VS Code': `PS1='p> '\n${marks(633)}`,
  'of VS Code around starship': `${STARSHIP}\nPROMPT_COMMAND=starship_precmd\n${marks(633)}`,
  'of iTerm2': `PS1='\\[\\e[32m\\]me\\[\\e[0m\\] p> '\n${marks(133)}`,
  'of VS Code without a DEBUG trap': `PS1='p> '\n${marks(633).replace(/trap .*/, '')}`,
};
const COLUMNS = [80, 100, 120];
const COMMAND = `docker run --rm -it -v "$PWD:/work" -w /work -e CI=1 -e NODE_ENV=tests node:22 bash -lc "npm ci && npm run build && npm test -- --run"`;
const EMACS = [
  ['C-a', ...'sudo '],
  ['C-a', 'M-d', 'x'],
  ['C-a', 'M-d', 'C-_', 'x'],
  ['C-r', ...'npm', 'Right', 'x'],
  ['C-a', 'C-k', 'C-y', 'C-a', 'x'],
];
const VI_KEYS = [
  ['Escape', '0', 'i', ...'sudo '],
  ['Escape', '0', 'd', 'w', 'u', 'A', 'x'],
  ['Escape', 'b', 'b', 'i', 'x'],
];

/** Readline shows each count in place of the prompt. */
const VI_COUNTS: Readonly<Record<string, readonly string[]>> = {
  'p> echo one xtwo three': ['2', 'b', 'i', 'x'],
  'p> two threex': ['0', 'd', '2', 'w', 'A', 'x'],
  'p> echo oe two three': ['1', '2', 'h', 'x'],
};

/** True if the programs and files of others are here that it uses. */
function hasAll(bashrc: string): boolean {
  const files = [GIT, LIQUIDPROMPT].filter((file) => bashrc.includes(file));
  const areHere = files.map((file) => isHere(file, existsSync(file))).every(Boolean);
  return areHere && (!bashrc.includes('direnv hook') || hasPrograms('direnv'));
}

/** An agent-shell with a panel and a plain one, which receive equal keys. */
class Pair {
  readonly #shells: readonly PersonsShell[];
  readonly #expect: ExpectStatic;
  #panel = '';

  static async start(
    { expect, onTestFinished }: Pick<TestContext, 'expect' | 'onTestFinished'>,
    bashrc: string,
    columns = 80,
    inputrc = 'set keyseq-timeout 50\n',
  ) {
    const isAtPrompt = (text: string) => /p> *$/m.test(text);
    const home = { '.bashrc': `${bashrc}\n`, '.inputrc': inputrc };
    const of = { columns, home, env: { LANG: 'C.UTF-8' }, isAtPrompt, onTestFinished };
    const shells = [await PersonsShell.start({ ...of, list: LIST }), await PersonsShell.start(of)];
    return new Pair(shells, expect);
  }

  private constructor(shells: readonly PersonsShell[], expect: ExpectStatic) {
    this.#shells = shells;
    this.#expect = expect;
  }

  /** On an empty screen. */
  async begin(columns: number): Promise<void> {
    for (const shell of this.#shells) await shell.resize(columns, 24);
    this.type(`clear; echo ${columns}\n`);
    await eventually('a panel', () => {
      const [ours = '', plain = ''] = this.#shells.map((shell) => shell.rows());
      this.#panel = ours.slice(plain.length);
      return (
        ours.startsWith(plain) &&
        /^\n[┌✓].* Plan.* Ship/s.test(this.#panel) &&
        shows(plain, columns)
      );
    });
  }

  type(text: string): void {
    for (const shell of this.#shells) shell.type(text);
  }

  async press(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      for (const shell of this.#shells) shell.press(key);
      // Longer than the time after which Escape is a key of its own.
      if (key === 'Escape') await new Promise((resolve) => setTimeout(resolve, 80));
    }
  }

  /** Waits until the screens, with what has scrolled away, are the same but for one panel below ours. */
  async areSame(what: string, isShown: (text: string) => boolean): Promise<void> {
    let [ours, expected] = ['', ''];
    const look = () => {
      const [seen = '', plain = ''] = this.#shells.map((shell) => shell.rows());
      [ours, expected] = [seen, plain + this.#panel];
      return ours === expected && isShown(plain.replaceAll('\n', ''));
    };
    await eventually('the same', look, 15_000).catch(() => {});
    this.#expect(ours, what).toBe(expected);
  }
}

/** A prompt after a line with this number. */
const shows = (text: string, number: number) => new RegExp(`^${number}\n.*p>$`, 's').test(text);

describe.skipIf(!hasPanelBelow)('at a prompt', { concurrent: true }, () => {
  for (const [at, [name, bashrc]] of Object.entries(SETUPS).entries()) {
    // Each at one of the widths, or at all of them.
    const widths = COLUMNS.filter((_, index) => process.env.TEST_RUNS || at % 3 === index);
    test.skipIf(!hasAll(bashrc))(
      `${name}, a line longer than a row is edited as without a panel, at ${widths.join(', ')} columns`,
      async (context) => {
        const pair = await Pair.start(context, bashrc, widths[0]);
        for (const columns of widths) {
          await pair.begin(columns);
          for (const [index, keys] of (bashrc.includes(VI) ? VI_KEYS : EMACS).entries()) {
            pair.type(COMMAND);
            await pair.areSame('typed', (text) => text.endsWith('run"'));
            await pair.press([...keys, 'End', ...`#${index}`]);
            await pair.areSame(keys.join(' '), (text) => text.includes(`#${index}`));
            // Not Ctrl-C: now and then readline sees it only at the next key, if it comes while the line is drawn.
            await pair.press(['C-u', 'Enter']);
            await pair.areSame('Enter', (text) => text.split('p>').length === index + 3);
          }
        }
      },
    );
  }
});

test.skipIf(!hasPanelBelow)(
  'in vi mode, also by ~/.inputrc, a line edited with counts is shown as without a panel',
  async (context) => {
    const inputrc = 'set editing-mode vi\nset keyseq-timeout 50\n';
    const pair = await Pair.start(context, `PS1='p> '`, 80, inputrc);
    await pair.begin(80);
    for (const [line, keys] of Object.entries(VI_COUNTS)) {
      pair.type('echo one two three');
      await pair.press(['Escape', ...keys]);
      await pair.areSame(keys.join(' '), (text) => text.endsWith(line));
      await pair.press(['Escape', 'd', 'd', 'i']);
    }
  },
);

const PROMPTS: readonly (readonly [string, string])[] = [
  ['short', 'p> '],
  ['coloured', String.raw`\[\e[32m\]user@host\[\e[0m\]:\w\$ `],
  ['wide', `${'x'.repeat(70)}> `],
  ['of two rows', String.raw`\w\n\$ `],
  ['with a wide row above', String.raw`${'w'.repeat(90)}\n\$ `],
  ['with an empty row', String.raw`a\n\nb> `],
  ['with a command', '$(printf %s main) > '],
  ['with a newline from a variable', `a\${nl}b> `],
  ['with a newline from a command', String.raw`$(printf "a\nb") > `],
  ['of wide characters', String.raw`日本語の端末 \$ `],
  ['with a title', String.raw`\[\e]0;t\a\]title> `],
  ['coloured and wide below an empty row', String.raw`\n\[\e[1m\]λ ❯\[\e[0m\] ${'y'.repeat(60)} `],
];
const PLACES = [
  ['top', 20],
  ['bottom', 20],
  ['bottom', 47],
  ['top', 80],
] as const;

describe.skipIf(!hasPanelBelow)('above the panel', { concurrent: true }, () => {
  test.for(PLACES.map((place, index) => [...place, index] as const))(
    'prompts and what is typed at them look as without a panel: at the %s of %i columns',
    async ([where, columns, index], context) => {
      const pair = await Pair.start(context, `PS1='p> ' nl=$'\\n'`, columns);
      await pair.begin(columns);
      const begin = where === 'top' ? `printf '\\e[H\\e[2J\\e[3J'` : 'seq 30';
      // Each prompt at one of the places, or at all of them.
      const isHere = (at: number) => process.env.TEST_RUNS || at % PLACES.length === index;
      for (const [at, [name, prompt]] of PROMPTS.entries()) {
        if (!isHere(at)) continue;
        // Not the line that was typed, below which the output begins.
        const isNext = (text: string) => new RegExp(`(?<!echo ?)={9}${at}.`).test(text);
        pair.type(`${begin}; PS1='${prompt.replaceAll("'", `'\\''`)}'; echo =========${at}\n`);
        await pair.areSame(`a prompt ${name}`, isNext);
        const command = `echo ${'abcdefghi '.repeat(12)}end${at}`;
        pair.type(command);
        await pair.areSame(`a command at a prompt ${name}`, (text) => text.endsWith(`end${at}`));
        const key = at < 6 ? 'Enter' : 'C-c';
        await pair.press([key]);
        await pair.areSame(
          `after ${key} at a prompt ${name}`,
          (text) => !/end\d+(\^C)?$/.test(text),
        );
      }
    },
  );
});

test('what was written is todos or tasks: another word is an error', ({ expect }) => {
  const cwd = temporaryDirectory();
  const place = { cwd, env: cleanEnvironment({ TODO_STATE_DIR: cwd }) };
  const exitCodes = ['todos', 'tasks', 'task', ''].map((word) => {
    const argv = [executable('agent-shell'), 'prompt-panel', 'again', word];
    return spawnSync(process.execPath, argv, place).status;
  });
  expect(exitCodes).toEqual([0, 0, 1, 1]);
});

test('on a terminal that does not say its size the panel has 80 columns', async ({ expect }) => {
  const directory = temporaryDirectory();
  const environment = { HOME: directory, TODO_STATE_DIR: directory, TODO_SESSION: 's' };
  await callCommand(environment, 'TodoWrite', ['--add', 'x'.repeat(90), '--active-form', 'x']);
  const terminal = openSync(join(directory, 'no-terminal'), 'w');
  const question = { environment, directory, terminal, hasRun: false, journal: [''] };
  const answer = stripVTControlCharacters(await answerPrompt({ ...question, mode: 'above' }));
  closeSync(terminal);
  expect(answer.match(/[┌+].*[┐+]/)?.[0]).toHaveLength(79);
});
