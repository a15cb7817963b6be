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

/** Removes the terminal's answer from the typed keys. */
export function withoutAnswer(typed: string): { keys: string; background: Background } {
  const [answer, ...rgb] = BACKGROUND_ANSWER.exec(typed) ?? [];
  if (answer === undefined) return { keys: typed, background: undefined };
  const [red = 0, green = 0, blue = 0] = rgb.map(
    (part = '0') => Number.parseInt(part, 16) / 16 ** part.length,
  );
  const isLight = 0.3 * red + 0.59 * green + 0.11 * blue > 0.5;
  return { keys: typed.replace(answer, ''), background: isLight ? 'light' : 'dark' };
}
