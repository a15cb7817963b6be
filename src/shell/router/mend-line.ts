import { hasLostQuotes, isJsonCollection, MAX_JSON_BYTES } from '../../base/json/json-input.ts';
import { areQuotesClosed, mayExpand, quote, withoutOuterQuotes } from '../../base/line/quotes.ts';
import { type CommandsRead, readCommands } from '../../base/line/simple-commands.ts';
import { readWord, type Word } from '../../base/line/words.ts';

/** True if bash can parse a text. Rejects if bash cannot tell. */
export type CanRead = (text: string) => Promise<boolean>;

/** The names of agent commands that read JSON. */
type JsonCommandNames = { has(name: string): boolean };

interface LinePart {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

// Each place takes time proportional to the line.
const MAX_PLACES = 20;
const BEFORE_COMMAND = '(?<=^|[\\s;&|(){}!])';
const JSON_START = `(?:['"]\\s*)?[{[]`;
const ANY_BLANKS = '(?:[ \\t]|\\\\\\n)+';
const OPTION = `${ANY_BLANKS}--[\\w-]*(?:[= ][\\w.][\\w.-]*)?`;
const HERE_STRING = `(?:-${ANY_BLANKS})?<<<[ \\t]*`;
// The end is a lookahead, since `--agent TodoWrite {` may be either name's.
const COMMAND_WITH_JSON = new RegExp(
  `${BEFORE_COMMAND}[\\w-]+(?=((?:${OPTION}){0,9}${ANY_BLANKS}(?:${HERE_STRING})?)${JSON_START})`,
  'g',
);
const BEFORE_NAME = /^(?:time|command|exec|env|nohup|-.*|\w+=.*)$/s;
const COMMAND_FOLLOWS = /(?:^|[\n;&|(){]|[\n;][ \t]*(?:then|else|do))[ \t]*$/;
const STARTS_JSON = new RegExp(`^${JSON_START}`);
const EVAL = new RegExp(`${BEFORE_COMMAND}eval[ \\t]+(?:--[ \\t]+)?`, 'g');
const WORD_END = /^(?:$|[\s;&|()<>])/;
/** A whole string, an unclosed quote, or a bracket. */
const STRUCTURE = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|["[\]{}]/g;
/** Two ways to write an apostrophe inside single quotes, and a placeholder of the same length. */
const APOSTROPHE = /'\\''|'"'"'/g;
const STAND_IN = /\0\0\0\0(\x01?)/g;

/**
 * Quotes the JSON of agent commands whose quotes bash would break, also in the text of an `eval`, in which harnesses wrap lines.
 * The rest of the line, such as `cd X && ...`, stays.
 *
 * Nothing is guessed: the JSON must have exactly one possible end, nothing in it may be meant as an expansion, and bash must be
 * able to parse the result. If bash can parse the line as typed, only JSON that is certainly an argument of its command
 * is quoted. Bash is only asked about lines that would change.
 *
 * Returns undefined if the line needs no mending, cannot be mended, or bash cannot tell.
 */
export async function mendLine(
  line: string,
  names: JsonCommandNames,
  canRead: CanRead,
): Promise<string | undefined> {
  if (line.length > MAX_JSON_BYTES || !/[[{]/.test(line) || /[\0\x01]/.test(line)) return undefined;
  try {
    const mended = await mendText(line, names, canRead);
    if (mended !== undefined) return mended;
    const evaluated: LinePart[] = [];
    for (const part of evalTexts(line)) {
      const text = await mendText(part.text, names, canRead);
      if (text !== undefined) evaluated.push({ ...part, text: quote(text) });
    }
    return evaluated.length > 0 ? replaceParts(line, evaluated) : undefined;
  } catch {
    // Bash cannot tell.
    return undefined;
  }
}

async function mendText(
  text: string,
  names: JsonCommandNames,
  canRead: CanRead,
): Promise<string | undefined> {
  const reading = readCommands(text);
  const ifRead = quoteArguments(text, names, reading);
  if (ifRead === text && reading.isWhole) return undefined;
  const ifUnread = quoteJson(text, names);
  if (ifUnread === text && ifRead === text) return undefined;
  const isRead = (await canRead(text)) && (ifRead === text || (await canRead(ifRead)));
  const mended = isRead ? ifRead : ifUnread;
  return mended !== text && (isRead || (await canRead(mended))) ? mended : undefined;
}

/** Quotes the JSON of each agent command, for a line that bash cannot parse. Returns the line if an end is unclear. */
function quoteJson(line: string, names: JsonCommandNames): string {
  const parts: LinePart[] = [];
  const places = jsonPlaces(line, names);
  if (places.length > MAX_PLACES) return line;
  for (const { start } of places) {
    const last = parts.at(-1)?.end ?? 0;
    if (start < last) continue;
    if (!areQuotesClosed(line.slice(last, start))) return line;
    const json = jsonAt(line, start);
    if (json === undefined) return line;
    parts.push({ ...json, text: quote(json.text) });
  }
  return replaceParts(line, parts);
}

/** Quotes JSON that bash would split or strip of its quotes, for a line that bash can parse. */
function quoteArguments(line: string, names: JsonCommandNames, reading: CommandsRead): string {
  let mended = line;
  let read = reading;
  let from = 0;
  for (let place = 0; place < MAX_PLACES; place++) {
    // 1. The next argument that begins as JSON.
    const argument = firstArguments(mended, names, read).find(({ start }) => start >= from);
    if (argument === undefined) break;
    // 2. Leave it if bash reads it as it is meant, or if its end is unclear.
    const json = isReadAsMeant(argument) ? undefined : jsonAt(mended, argument.start);
    from = argument.start + 1;
    if (json === undefined) continue;
    // 3. Quote it. Bash may read other words after it now.
    const text = quote(json.text);
    mended = replaceParts(mended, [{ ...json, text }]);
    read = readCommands(mended);
    from = argument.start + text.length;
  }
  return mended;
}

function isReadAsMeant({ text, written }: Word): boolean {
  if (!isJsonCollection(text)) return false;
  return written === quote(text) || !hasLostQuotes(text, withoutOuterQuotes(written));
}

/** The first JSON of each agent command, as a here-string or an argument, in the part of the line that can be read, and by their looks in the rest. */
function firstArguments(
  line: string,
  names: JsonCommandNames,
  { commands, isWhole }: CommandsRead,
): Word[] {
  const found = commands.map(({ words, redirections }) => {
    const at = words.findIndex(({ written }) => !BEFORE_NAME.test(written));
    if (!names.has(words[at]?.text ?? '')) return undefined;
    const strings = redirections.flatMap((one) => (one.operator === '<<<' ? [one.target] : []));
    return [...strings, ...words.slice(at + 1)].find(({ written }) => STARTS_JSON.test(written));
  });
  // In a heredoc they may be text.
  if (!isWhole && !line.includes('<<')) {
    for (const { before, start } of jsonPlaces(line, names).slice(0, MAX_PLACES)) {
      if (COMMAND_FOLLOWS.test(before) && areQuotesClosed(before))
        found.push(readWord(line, start));
    }
  }
  return found.filter((word) => word !== undefined);
}

/** Where JSON follows the name of a command, and what precedes the name. */
function jsonPlaces(line: string, names: JsonCommandNames): { before: string; start: number }[] {
  return [...line.matchAll(COMMAND_WITH_JSON)]
    .filter(([name]) => names.has(name))
    .map(({ 0: name, 1: blanks = '', index }) => ({
      before: line.slice(0, index),
      start: index + name.length + blanks.length,
    }));
}

/** The bare or quoted JSON that begins here. The part includes its quotes. */
function jsonAt(line: string, start: number): LinePart | undefined {
  const first = line.charAt(start);
  const outer = first === '"' || first === "'" ? first : '';
  const from = start + outer.length + blanksAt(line, start + outer.length);
  const typed = line.slice(from);
  // Correct apostrophes are set aside. Another one may still be wrong.
  const text =
    outer === "'" ? typed.replace(APOSTROPHE, (way) => '\0\0\0\0\x01'.slice(0, way.length)) : typed;
  const length = jsonLength(text);
  if (length === undefined) return undefined;
  const quoteAt = from + length + (outer === '' ? 0 : blanksAt(line, from + length));
  const end = quoteAt + outer.length;
  const isEnded = line.startsWith(outer, quoteAt) && WORD_END.test(line.slice(end, end + 1));
  const json = text.slice(0, length).replace(STAND_IN, "'");
  if (!isEnded || !isJsonCollection(json)) return undefined;
  return mayExpand(line.slice(start, end)) ? undefined : { start, end, text: json };
}

function blanksAt(line: string, start: number): number {
  return line.slice(start).search(/\S|$/);
}

/** The length of the object or array at the start of a text, by its brackets and strings only. */
function jsonLength(text: string): number | undefined {
  let depth = 0;
  for (const { 0: piece, index } of text.matchAll(STRUCTURE)) {
    if (piece === '"') return undefined;
    if (piece.startsWith('"')) continue;
    depth += /[[{]/.test(piece) ? 1 : -1;
    if (depth === 0) return index + 1;
  }
  return undefined;
}

/** The texts that `eval` gets as one literal word each. */
export function evalTexts(line: string): LinePart[] {
  const parts: LinePart[] = [];
  for (const match of [...line.matchAll(EVAL)].slice(0, MAX_PLACES)) {
    const start = match.index + match[0].length;
    if (start < (parts.at(-1)?.end ?? 0) || !areQuotesClosed(line.slice(0, start))) continue;
    const word = readWord(line, start);
    if (word?.isLiteral) parts.push({ start, end: start + word.written.length, text: word.text });
  }
  return parts;
}

/** @param parts in the order of the line. */
function replaceParts(line: string, parts: readonly LinePart[]): string {
  return parts.reduceRight(
    (mended, { start, end, text }) => mended.slice(0, start) + text + mended.slice(end),
    line,
  );
}
