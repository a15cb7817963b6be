import type { Environment } from '../../base/environment.ts';

export type Background = 'dark' | 'light' | undefined;

/** The terminal's answer, if any, comes in between the keys. */
export const ASK_BACKGROUND = '\x1b]11;?\x1b\\';
const BACKGROUND_ANSWER =
  /\x1b\]11;(?:rgba?:([\da-f]+)\/([\da-f]+)\/([\da-f]+)[^\x07\x1b]*)?(?:\x07|\x1b\\)/i;

/** COLORFGBG, which some terminals set, has the numbers of the foreground and background colours. */
export function backgroundOf({ COLORFGBG = '' }: Environment): Background {
  const [, number] = /;(\d+)$/.exec(COLORFGBG) ?? [];
  if (number === undefined || Number(number) > 15) return undefined;
  return Number(number) === 7 || Number(number) > 8 ? 'light' : 'dark';
}

const ESCAPE_KEY = '\x1b';
/** What an answer begins with, which a busy terminal or a network can deliver in pieces. */
const BEGUN_ANSWER = /\x1b(?:\](?:1(?:1(?:;[^\x07\x1b]{0,40}\x1b?)?)?)?)?$/;

/** Removes the terminal's answer from the typed keys, and tells what it says. */
export function answerFilter(
  tell: (background: Exclude<Background, undefined>) => void,
): (typed: string) => string {
  let held = '';
  return (typed) => {
    // An escape alone is a key, so it was passed on.
    const text = held === ESCAPE_KEY && !typed.startsWith(']11;') ? typed : held + typed;
    const [answer, ...rgb] = BACKGROUND_ANSWER.exec(text) ?? [];
    if (rgb[0] !== undefined) tell(brightness(rgb) > 0.5 ? 'light' : 'dark');
    const keys = answer === undefined ? text : text.replace(answer, '');
    [held] = BEGUN_ANSWER.exec(keys) ?? [''];
    return held === ESCAPE_KEY ? keys : keys.slice(0, keys.length - held.length);
  };
}

function brightness(rgb: readonly (string | undefined)[]): number {
  const [red = 0, green = 0, blue = 0] = rgb.map(
    (part = '0') => Number.parseInt(part, 16) / 16 ** part.length,
  );
  return 0.3 * red + 0.59 * green + 0.11 * blue;
}
