import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type onTestFinished, test } from 'vitest';
import { bashIsSince } from '../helpers/bash.ts';
import { eventually } from '../helpers/eventually.ts';
import { PersonsShell } from '../helpers/persons-shell.ts';
import { hasTmux } from '../helpers/tmux.ts';

const LIST = ['[x] Plan', '[>] Build <- Building', '[ ] Ship'];

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
const PLACES = ['top 20', 'bottom 20', 'bottom 47', 'top 80'];
const HOME = { '.bashrc': `PS1='p> ' nl=$'\\n'; PROMPT_COMMAND='echo $((++n)) >~/prompts'\n` };
const COMMAND = `echo ${'abcdefghi '.repeat(12)}`;

/** A shell with a list and a plain one, which receive equal keys. */
class Pair {
  readonly #shells: readonly [PersonsShell, PersonsShell];
  readonly #panel: string;
  #prompts = 1;

  static async start(columns: number, finished: typeof onTestFinished): Promise<Pair> {
    const of = { columns, home: HOME, onTestFinished: finished, env: { LANG: 'C.UTF-8' } };
    const withList = await PersonsShell.start({ ...of, list: LIST });
    return new Pair([withList, await PersonsShell.start(of)]);
  }

  private constructor(shells: readonly [PersonsShell, PersonsShell]) {
    this.#shells = shells;
    this.#panel = shells[0].all().replace(/^p>\n/, '');
  }

  async enter(line: string): Promise<void> {
    for (const shell of this.#shells) shell.enter(line);
    await this.#nextPrompt();
  }

  async #nextPrompt(): Promise<void> {
    this.#prompts += 1;
    for (const shell of this.#shells) {
      const count = () => Number(readFileSync(join(shell.home, 'prompts'), 'utf8'));
      // It is counted before it is written: until then the cursor is at the left.
      const isThere = () => count() === this.#prompts && shell.ask('#{cursor_x}') !== '0';
      await eventually('the next prompt', isThere);
    }
    await this.screens();
  }

  async type(text: string): Promise<void> {
    for (const shell of this.#shells) shell.type(text);
    await eventually(`"${text}" was typed`, () =>
      this.#shells[1].all().replaceAll('\n', '').endsWith(text.trimEnd()),
    );
  }

  async end(key: 'Enter' | 'C-c'): Promise<void> {
    for (const shell of this.#shells) shell.press(key);
    await this.#nextPrompt();
  }

  /** Waits until the screens differ only in a complete panel. Returns both, at the latest when time is up. */
  async screens(): Promise<{ ours: string; plain: string }> {
    let seen = { ours: '', plain: '' };
    const look = () => {
      seen = { ours: this.#shells[0].rows(), plain: `${this.#shells[1].rows()}\n${this.#panel}` };
      return seen.ours === seen.plain;
    };
    await eventually('the same', look).catch(() => {});
    return seen;
  }
}

describe.skipIf(!hasTmux || !bashIsSince(4, 4))('above the panel', { concurrent: true }, () => {
  test.for(PLACES.map((where, index) => [where, index] as const))(
    'prompts and what is typed at them look as without a panel: at the %s columns',
    async ([where, index], { expect, onTestFinished }) => {
      const [place, columns] = where.split(' ');
      const areSame = async (what: string) => {
        const { ours, plain } = await pair.screens();
        expect(ours, what).toBe(plain);
      };
      const pair = await Pair.start(Number(columns), onTestFinished);
      const begin = place === 'top' ? `printf '\\e[H\\e[2J'` : 'seq 30';
      // Each prompt at one of the places, or at all of them.
      const isHere = (at: number) => process.env.TEST_RUNS || at % PLACES.length === index;
      for (const [name, prompt] of PROMPTS.filter((_, at) => isHere(at))) {
        await pair.enter(`PS1='p> '`);
        await pair.enter(begin);
        await pair.enter(`PS1='${prompt.replaceAll("'", `'\\''`)}'`);
        await areSame(`a prompt ${name}`);
        await pair.type(COMMAND);
        await areSame(`a command at a prompt ${name}`);
        const key = PROMPTS.findIndex(([other]) => other === name) < 6 ? 'Enter' : 'C-c';
        await pair.end(key);
        await areSame(`after ${key} at a prompt ${name}`);
      }
    },
  );
});
