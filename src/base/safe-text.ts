const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
const LINE_BREAKS_AND_TABS = /\r\n|[\t\n\v\f\r\x85\u2028\u2029]/g;
const CONTROLS = /[\x00-\x1f\x7f-\x9f]/g;
const ELLIPSIS = '...';
/** Some characters are dropped, so more than `maxChars` are read; but not all of a long text. */
const UNITS_READ_PER_CHARACTER = 8;

/**
 * The text on one line, safe to print on a terminal.
 *
 * Line breaks and tabs become a space; other controls become visible (ESC as `␛`); bidirectional overrides and all other
 * invisible characters are dropped, since a model would read what people cannot see, except the joiners and variation
 * selectors of emoji; a lone surrogate becomes U+FFFD.
 *
 * @param maxChars the most code points to return; longer text is cut and ends in `...`, which counts.
 */
export function safeText(text: string, maxChars = Number.POSITIVE_INFINITY): string {
  if (text.length <= maxChars && PRINTABLE_ASCII.test(text)) return text;
  // 1. Read no more than can be needed.
  const unitsRead = maxChars * UNITS_READ_PER_CHARACTER;
  const isCut = text.length > unitsRead;
  const read = isCut ? text.slice(0, unitsRead).replace(/[\ud800-\udbff]$/, '') : text;
  // 2. Make it safe. V8 takes a third of a millisecond to compile a pattern with \p, so they are not constants of the module.
  const safe = read
    .replace(LINE_BREAKS_AND_TABS, ' ')
    .replace(CONTROLS, controlPicture)
    .replace(
      /(?!(?<=\p{Emoji})(?:\ufe0e|\ufe0f)|(?<=\p{Emoji}|\ufe0f)\u200d\p{Extended_Pictographic})[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu,
      '',
    )
    .replace(/\p{Cs}/gu, '\ufffd');
  // 3. Cut it to its length.
  if (!isCut && safe.length <= maxChars) return safe;
  const characters = [...safe];
  if (!isCut && characters.length <= maxChars) return safe;
  return characters.slice(0, Math.max(0, maxChars - ELLIPSIS.length)).join('') + ELLIPSIS;
}

/** An error's message. Handlers and rules of a host may throw anything. */
export function reasonOf(error: unknown, maxChars?: number): string {
  return safeText(error instanceof Error ? error.message : String(error), maxChars);
}

/**
 * A command on one line, safe to print on a terminal, for a person who is asked about it. Unlike in `safeText`, it cannot look like
 * another command: a line break is `␊`, and invisible characters, but those of emoji, and blanks that bash takes for letters are as
 * in `\u200b`: if a model repeats that in JSON, it is the character again.
 */
export function commandText(command: string, maxChars?: number): string {
  if (PRINTABLE_ASCII.test(command)) return safeText(command, maxChars);
  const visible = command.replace(
    /[\n-\r]|(?! |(?<=\p{ExtPict})\ufe0f|(?<=\p{ExtPict}|\ufe0f)\u200d\p{ExtPict})[\x85\p{Z}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu,
    (one) => (one < ' ' ? controlPicture(one) : jsonEscape(one)),
  );
  return safeText(visible, maxChars);
}

/** A character as an escape of JSON; two, if it is above U+FFFF. */
export function jsonEscape(character: string): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return character.replace(/./gs, escaped);
}

/** The most characters of the input that a message repeats. */
export const MAX_QUOTED_CHARACTERS = 40;

/** A piece of the input for a message: safe to print and cut short. */
export function briefText(text: string): string {
  return safeText(text, MAX_QUOTED_CHARACTERS);
}

/** The most characters of an agent's name that a message repeats: by default, those that an owner may have. */
const LONGEST_NAME = 200;

/** The name of an agent. A model passes it to `--owner`, so it is not cut short as other input is. */
export function nameText(agent: string): string {
  return safeText(agent, LONGEST_NAME);
}

export function inQuotes(text: string): string {
  return `'${briefText(text)}'`;
}

/** Text of a list for a sentence to a model: in JSON, the text cannot end its quotes. @param maxChars before escapes. */
export function quotedText(text: string, maxChars: number): string {
  return JSON.stringify(safeText(text, maxChars));
}

/**
 * Text without tags, for a harness that puts it between tags of its own, such as `<system-reminder>`. If a model repeats
 * `\u003c` in JSON, it is `<` again.
 */
export function withoutTags(text: string): string {
  return text.replaceAll('<', '\\u003c');
}

/** Unicode has a picture for each C0 control and for DEL, none for the C1 controls. */
function controlPicture(control: string): string {
  const code = control.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : '\ufffd';
}

/** Most texts begin with one. */
const isPlainMark = (code: number) => code > 0x20 && code < 0x7f;

/** True if nothing of the text is visible. */
export function isBlank(text: string): boolean {
  if (isPlainMark(text.charCodeAt(0))) return false;
  // Invisible: white space, controls, format characters, fillers and the blank Braille pattern.
  return !/[^\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text);
}

/** A pattern of what is read as a blank between the parts of JSON: people cannot tell some from a space, or from nothing. */
export const JSON_BLANK = '[\\s\\u200b\\u2060]';

export function linesOf(text: string): string[] {
  return text.split(/\r\n|\n|\r/);
}

/** The length in code points, so that an emoji of one code point counts as one character. */
export function characterCount(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** `1 item`, `2 items`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** `a, b and 4 more`: the texts of the first ones. */
export function firstOf<T>(all: readonly T[], most: number, textOf: (one: T) => string): string {
  const shown = all.slice(0, most).map(textOf).join(', ');
  return all.length > most ? `${shown} and ${all.length - most} more` : shown;
}

/** The text on one line of Markdown, escaped. */
export function markdownText(text: string): string {
  return safeText(text)
    .replace(/[\\`*_{}[\]<>#|~&]/g, '\\$&')
    .replace(/^(\s*)(?:(?=[-+=])|(\d+)(?=[.)]))/, '$1$2\\');
}
