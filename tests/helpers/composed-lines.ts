import GRAMMAR from './composed-lines.txt';
import type { Random } from './random.ts';

/** The productions of each symbol. */
const PRODUCTIONS = new Map(
  GRAMMAR.split('\n\n').flatMap((paragraph) => {
    const [, symbol, lines = ''] = /^([\w ]+):\n([\s\S]*)/m.exec(paragraph) ?? [];
    const productions = lines
      .split(/\n| ¦ /)
      .map((line) => line.replace(/^ {2}/, ''))
      .filter((line) => line !== '' && !line.startsWith('# '))
      .flatMap((line) => {
        const [, times = '1', production = ''] = /^(?:(\d+)× )?(.*)$/.exec(line) ?? [];
        return Array<string>(Number(times)).fill(production);
      });
    return symbol === undefined ? [] : [[symbol, productions] as const];
  }),
);

const SPELLINGS: Record<string, (text: string) => string> = {
  "'": (text) => `'${text.replaceAll("'", "'\\''")}'`,
  '"': (text) => `"${text.replace(/[\\"$`]/g, '\\$&')}"`,
  $: (text) => `$'${text.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`,
  '\\': (text) => text.replace(/[\\$`]/g, '\\$&'),
};

/**
 * Lines that might run forever or beyond their end, print the process or all variables, or redirect the output of later
 * lines.
 */
const NOT_FOR_COMPARING = /while|until|<\(|(?<![&<>|])&(?![&>])|\$[$!-]|\bexec\b|\bset\b(?! [-+])/;

/**
 * Random lines of the grammar. Each ends by itself, needs only an empty directory, prints the same each time, and names no
 * file outside of its directory.
 */
export class ComposedLines {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  next(): string {
    const line = this.#expand('line', this.#random.pick([0, 1, 1, 2, 2, 3]));
    if (!this.#random.chance(0.08)) return line;
    const slipped = this.#slip(line);
    return NOT_FOR_COMPARING.test(slipped) ? line : slipped;
  }

  #expand(symbol: string, depth: number): string {
    const atEnd = depth <= 0 ? PRODUCTIONS.get(`${symbol} at the end`) : undefined;
    const productions = atEnd ?? PRODUCTIONS.get(symbol);
    if (productions === undefined) throw new Error(`the grammar has no ${symbol}`);
    return this.#random
      .pick(productions)
      .replace(/[ε¶⇥]/g, (sign) => ({ '¶': '\n', '⇥': '\t' })[sign] ?? '')
      .replace(/«([↓⤓]?)(['"$\\]?)(\w+)»/g, (_, deeper, spelling, name) => {
        const text = this.#expand(name, deeper ? (deeper === '↓' ? depth - 1 : 0) : depth);
        return SPELLINGS[spelling]?.(text) ?? text;
      });
  }

  /** A line with a typing slip. */
  #slip(line: string): string {
    const at = this.#random.below(line.length + 1);
    return this.#random.chance(0.5)
      ? line.slice(0, at) + line.slice(at + 1 + this.#random.below(3))
      : line.slice(0, at) + this.#random.pick([...'"\'`(){}|<;\n$\\ !#']) + line.slice(at);
  }
}
