/** How much of one stream of one command is kept: 64 MiB. What comes after is counted and dropped. */
export const CAPTURE_LIMIT = 64 * 1024 * 1024;

/** Keeps the first bytes of a stream, so that a command that floods gigabytes cannot fill the memory. */
export class OutputCapture {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #kept = 0;
  #leftOut = 0;

  constructor(limit: number = CAPTURE_LIMIT) {
    this.#limit = limit;
  }

  /** Takes a copy of `chunk`: the caller may reuse its buffer. */
  add(chunk: Buffer): void {
    const room = this.#limit - this.#kept;
    if (room > 0) {
      this.#chunks.push(Buffer.from(chunk.subarray(0, room)));
    }
    this.#kept += Math.min(room, chunk.length);
    this.#leftOut += Math.max(0, chunk.length - room);
  }

  includes(text: string): boolean {
    return this.#chunks.some((chunk) => chunk.includes(text));
  }

  /** Drops the lines that hold `text`, each with the one before it, and tells whether there were any. */
  dropLinesWith(text: string): boolean {
    const kept = Buffer.concat(this.#chunks);
    if (text === '' || !kept.includes(text)) return false;
    const lines = kept.toString('latin1').split('\n');
    const others = lines.filter(
      (line, at) => ![line, lines[at + 1]].some((l) => l?.includes(text)),
    );
    const rest = Buffer.from(others.join('\n'), 'latin1');
    this.#chunks = [rest];
    this.#kept = rest.length;
    return true;
  }

  /** Everything kept so far, decoded as UTF-8; bytes that are not UTF-8 become U+FFFD. Empties the capture. */
  take(): string {
    const bytes = Buffer.concat(this.#chunks);
    const leftOut = this.#leftOut;
    this.#chunks = [];
    this.#kept = 0;
    this.#leftOut = 0;
    if (leftOut === 0) {
      return bytes.toString('utf8');
    }
    return `${wholeCharacters(bytes).toString('utf8')}\n[agent-shell: ${leftOut} more bytes left out]\n`;
  }
}

/** Without the part of a UTF-8 character that the cut may have left at the end. */
function wholeCharacters(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && end > bytes.length - 4 && ((bytes[end - 1] as number) & 0xc0) === 0x80) {
    end -= 1;
  }
  const lead = bytes[end - 1] as number;
  const expected = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return end > 0 && expected > bytes.length - end + 1 ? bytes.subarray(0, end - 1) : bytes;
}
