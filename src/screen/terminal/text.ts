import { eastAsianWidth } from 'get-east-asian-width';
import { safeText } from '../../base/safe-text.ts';

const ASCII_ONLY = /^[ -~]*$/;
const MARKS_PER_CHARACTER = 2;

/** A character with its marks, or the two letters of a flag: `oneLine` leaves no other clusters. */
const CLUSTER = /[\u{1f1e6}-\u{1f1ff}]{2}|[\s\S]\p{M}*/gu;
const LAST_CLUSTER = new RegExp(`(?:${CLUSTER.source})$`, 'u');

/**
 * One line whose width terminals agree on: safe, composed, and without the joiners, variation selectors, skin tones and
 * surplus combining marks that some draw in fewer columns.
 */
export function oneLine(text: string): string {
  const line = safeText(text).replace(/\s+/gu, ' ').trim();
  return ASCII_ONLY.test(line) ? line : agreedText(line);
}

function agreedText(text: string): string {
  const kept = text
    .normalize('NFC')
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Emoji_Modifier}]/gu, '')
    // Hangul vowels, finals and tones outside of a syllable: their width depends on the character before.
    .replace(/[\u1160-\u11ff\ud7b0-\ud7ff\u302e\u302f]/gu, '\ufffd');
  let marks = MARKS_PER_CHARACTER;
  let result = '';
  for (const character of kept) {
    const isMark = /\p{M}/u.test(character);
    marks = isMark ? marks + 1 : 0;
    if (marks <= MARKS_PER_CHARACTER && (!isMark || result !== '')) result += character;
  }
  return result;
}

/** The columns of a line from `oneLine`, or of any text without control characters. */
export function displayWidth(text: string): number {
  if (ASCII_ONLY.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** The columns of a code point: 0 for marks and invisible ones, 2 for wide ones, else 1. */
export function characterWidth(character: string): number {
  if (character < '\u0300') return 1;
  if (/[\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}]/u.test(character)) return 0;
  return eastAsianWidth(character.codePointAt(0) ?? 0);
}

/** Truncates to `columns`, never inside a character. */
export function truncate(text: string, columns: number, ellipsis = '…'): string {
  if (displayWidth(text) <= columns) return text;
  const mark = cutToColumns(ellipsis, columns);
  return cutToColumns(text, columns - displayWidth(mark)) + mark;
}

const WITHOUT_BLANKS = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u;

/** Marks that begin no row. */
const ENDS = /^(?:\.+$|[…、。，：；！？）」』】》])/u;

/** Wraps text at `columns`, inside a word only where it is longer than a line. */
export function wrap(text: string, columns: number): string[] {
  const width = Math.max(1, columns);
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    // Text without blanks, as Chinese, begins where there is room.
    const isWhole = displayWidth(word) <= width && !WITHOUT_BLANKS.test(word);
    const isNext = displayWidth(longer) > width && isWhole;
    if (isNext) lines.push(line);
    line = isNext ? word : longer;
    while (displayWidth(line) > width) {
      const part = firstRow(line, width);
      lines.push(part);
      line = line.slice(part.length).trimStart();
    }
  }
  return line === '' && lines.length > 0 ? lines : [...lines, line];
}

function firstRow(text: string, columns: number): string {
  const most = cutToColumns(text, columns) || ([...text][0] ?? '');
  let row = most;
  while (row !== '' && ENDS.test(text.slice(row.length))) row = row.replace(LAST_CLUSTER, '');
  return row || most;
}

function cutToColumns(text: string, columns: number): string {
  if (ASCII_ONLY.test(text)) return text.slice(0, Math.max(0, columns));
  let width = 0;
  let result = '';
  for (const [segment] of text.matchAll(CLUSTER)) {
    width += displayWidth(segment);
    if (width > columns) break;
    result += segment;
  }
  return result;
}
