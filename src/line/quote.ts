/**
 * `text` as one word of a shell line, whatever it contains.
 *
 * Only single quotes hold in every locale: in GBK and Big5 a character may end with the byte of a backslash.
 */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
