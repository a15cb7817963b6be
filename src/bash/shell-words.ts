/** `text` as one word of a shell command, whatever it contains. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
