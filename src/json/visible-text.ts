/** White space, controls, format characters, fillers and the blank Braille pattern: what leaves no mark on a screen. */
const VISIBLE = /[^\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Whether a reader of `text` would see nothing at all. */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}

/** The length in code points, so that an emoji of one code point counts as one character. */
export function characterCount(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
