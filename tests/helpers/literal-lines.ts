import type { Random } from './random.ts';

const BARE = [...'ABYZabyz0189_@%+=:,./-'];
const TEXT = [...' \t\n;&|<>(){}[]*?~!#$`\\"^ab09-=éü漢😀\u2028\u00a0\r\x01\x7f'];

/** A line of the literal grammar that calls `name`, and starts as a command does. */
export function literalLine(random: Random, name: string): string {
  const blanks = (least: number) => random.list(least, 3, () => random.pick([' ', '\t'])).join('');
  const words = random.list(0, 5, () => blanks(1) + word(random));
  return `${blanks(0)}${spelled(random, name)}${words.join('')}${blanks(0)}`;
}

function word(random: Random): string {
  return random.list(1, 4, () => piece(random)).join('');
}

function piece(random: Random): string {
  const text = (from: readonly string[]) => random.list(0, 8, () => random.pick(from)).join('');
  switch (random.below(4)) {
    case 0:
      return random.list(1, 6, () => random.pick(BARE)).join('');
    case 1:
      return `'${text(TEXT)}'`;
    case 2: {
      const plain = TEXT.filter((character) => !'"\\$`'.includes(character)).concat("'");
      return `"${text([...plain, '\\"', '\\\\', '\\$'])}"`;
    }
    default:
      return `\\${random.pick(TEXT.filter((character) => character !== '\n').concat("'", 'n', 't'))}`;
  }
}

/** Spells a name without expansions. */
function spelled(random: Random, name: string): string {
  const middle = random.below(name.length);
  const start = name.slice(0, middle);
  const end = name.slice(middle);
  return random.pick([
    name,
    name,
    name,
    `'${name}'`,
    `"${name}"`,
    `${start}'${end}'`,
    `"${start}"${end}`,
    `${start}\\${end}`,
  ]);
}
