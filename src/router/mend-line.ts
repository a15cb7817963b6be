import { isJsonCollection, MAX_JSON_BYTES } from '../json/json-input.ts';
import { quote } from '../line/quote.ts';

/** Whether bash can read a text as commands, without running it. */
export type CanRead = (text: string) => Promise<boolean>;

/** The names of the agent commands that read JSON. */
type Names = { has(name: string): boolean };

/** A stretch of a line. */
interface Part {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

// Each place we try takes time proportional to the line.
const MAX_PLACES = 20;
const BEFORE_COMMAND = '(?<=^|[\\s;&|(){}!])';
const COMMAND_WITH_JSON = new RegExp(`${BEFORE_COMMAND}([\\w-]+)[ \\t]+(?=['"]?[{[])`, 'g');
const EVAL = new RegExp(`${BEFORE_COMMAND}eval[ \\t]+(?:--[ \\t]+)?`, 'g');
const LITERAL_PIECE = /'[^']*'|"(?:[^"\\$`]|\\[\s\S])*"|\\[^\n]|[\w@%+=:,./-]+/y;
const QUOTE = /['"\\]/g;
const WORD_END = /^(?:$|[\s;&|()<>])/;
const STRUCTURE = /["[\]{}]/g;
const STRING_END = /"|\\[\s\S]/g;
/** The two ways to write an apostrophe inside single quotes, and a placeholder of the same length. */
const APOSTROPHE = /'\\''|'"'"'/g;
const STAND_IN = /\0\0\0\0(\x01?)/g;

/**
 * Fixes a line that bash cannot read because of the quotes around the JSON of an agent command: puts each such JSON into
 * quotes that hold. The rest of the line, such as `cd X && ...`, stays as it is. The same goes for the text of an `eval`,
 * which harnesses wrap around lines.
 *
 * Nothing is guessed: the JSON must have exactly one possible end, nothing in it may look like an expansion, and bash must
 * be able to read the result. Bash is only asked about lines that would change.
 *
 * @returns undefined if bash can read the line as it is, or if the line cannot be fixed.
 */
export async function mendLine(
  line: string,
  names: Names,
  canRead: CanRead,
): Promise<string | undefined> {
  if (line.length > MAX_JSON_BYTES) return undefined;
  const quoted = quoteJson(line, names);
  if (quoted !== line && !(await canRead(line))) {
    return (await canRead(quoted)) ? quoted : undefined;
  }
  const evaluated: Part[] = [];
  for (const part of evalTexts(line)) {
    const mended = quoteJson(part.text, names);
    if (mended === part.text || (await canRead(part.text)) || !(await canRead(mended))) continue;
    evaluated.push({ ...part, text: quote(mended) });
  }
  return evaluated.length > 0 ? replaceParts(line, evaluated) : undefined;
}

/** The line with the JSON of each agent command in quotes that hold; unchanged if there is none, or if its end is unclear. */
function quoteJson(line: string, names: Names): string {
  if (/[\0\x01]/.test(line)) return line;
  const parts: Part[] = [];
  let places = 0;
  for (const match of line.matchAll(COMMAND_WITH_JSON)) {
    places += 1;
    if (places > MAX_PLACES) return line;
    const start = match.index + match[0].length;
    if (!names.has(match[1] ?? '') || start < (parts.at(-1)?.end ?? 0)) continue;
    if (!areQuotesClosed(line.slice(parts.at(-1)?.end ?? 0, start))) return line;
    const json = jsonAt(line, start);
    if (json === undefined) return line;
    parts.push({ ...json, text: quote(json.text) });
  }
  return replaceParts(line, parts);
}

/** The JSON that begins here, bare or quoted, and where it and its quotes end. */
function jsonAt(line: string, start: number): Part | undefined {
  const first = line.charAt(start);
  const quote = first === '"' || first === "'" ? first : '';
  const typed = line.slice(start + quote.length);
  // An apostrophe that is correct for bash. Another one may still be wrong.
  const text =
    quote === "'" ? typed.replace(APOSTROPHE, (way) => '\0\0\0\0\x01'.slice(0, way.length)) : typed;
  const length = jsonLength(text);
  if (length === undefined) return undefined;
  const behind = typed.slice(length);
  const isEnded = behind.startsWith(quote) && WORD_END.test(behind.slice(quote.length));
  const json = text.slice(0, length).replace(STAND_IN, "'");
  if (!isEnded || !isJsonCollection(json)) return undefined;
  // In single quotes a $ means itself, but '$X' inside them is how people insert a variable.
  if ((quote === "'" ? /'"?[$`]/ : /[$`]/).test(typed.slice(0, length))) return undefined;
  return { start, end: start + quote.length + length + quote.length, text: json };
}

/** Where the object or array at the start of a text ends, going by its brackets and strings only. */
function jsonLength(text: string): number | undefined {
  let depth = 0;
  STRUCTURE.lastIndex = 0;
  for (let match = STRUCTURE.exec(text); match !== null; match = STRUCTURE.exec(text)) {
    if (match[0] === '"') {
      const end = stringEnd(text, STRUCTURE.lastIndex);
      if (end === undefined) return undefined;
      STRUCTURE.lastIndex = end;
    } else {
      depth += /[[{]/.test(match[0]) ? 1 : -1;
      if (depth === 0) return STRUCTURE.lastIndex;
    }
  }
  return undefined;
}

/** The argument of each `eval` of a line, where it is one literal word. */
function evalTexts(line: string): Part[] {
  const parts: Part[] = [];
  for (const match of [...line.matchAll(EVAL)].slice(0, MAX_PLACES)) {
    const start = match.index + match[0].length;
    if (start < (parts.at(-1)?.end ?? 0) || !areQuotesClosed(line.slice(0, start))) continue;
    let end = start;
    let text = '';
    for (LITERAL_PIECE.lastIndex = start; ; end = LITERAL_PIECE.lastIndex) {
      const piece = LITERAL_PIECE.exec(line)?.[0];
      if (piece === undefined) break;
      text += unquoted(piece);
    }
    if (end > start && WORD_END.test(line.slice(end, end + 1))) {
      parts.push({ start, end, text });
    }
  }
  return parts;
}

function unquoted(piece: string): string {
  switch (piece[0]) {
    case "'":
      return piece.slice(1, -1);
    case '"':
      return piece.slice(1, -1).replace(/\\(?:([\\"$`])|\n)/g, '$1');
    case '\\':
      return piece.slice(1);
    default:
      return piece;
  }
}

function areQuotesClosed(text: string): boolean {
  QUOTE.lastIndex = 0;
  for (let match = QUOTE.exec(text); match !== null; match = QUOTE.exec(text)) {
    const at = QUOTE.lastIndex;
    const end =
      match[0] === '\\'
        ? at + 1
        : match[0] === "'"
          ? text.indexOf("'", at) + 1 || undefined
          : stringEnd(text, at);
    if (end === undefined || end > text.length) return false;
    QUOTE.lastIndex = end;
  }
  return true;
}

/** Where a text in double quotes ends, given the place after its opening quote. */
function stringEnd(text: string, start: number): number | undefined {
  STRING_END.lastIndex = start;
  for (let match = STRING_END.exec(text); match !== null; match = STRING_END.exec(text)) {
    if (match[0] === '"') return STRING_END.lastIndex;
  }
  return undefined;
}

function replaceParts(line: string, parts: readonly Part[]): string {
  let mended = '';
  let at = 0;
  for (const { start, end, text } of parts) {
    mended += line.slice(at, start) + text;
    at = end;
  }
  return mended + line.slice(at);
}
