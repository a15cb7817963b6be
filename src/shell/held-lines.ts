const LONGEST_LINE = 64 * 1024;

/** Passes on whole lines only, so that what is shown among other things is never broken inside a line. */
export class HeldLines {
  readonly #show: (lines: Buffer) => void;
  #held: Buffer = Buffer.alloc(0);

  /** @param show gets one or more lines; the last one lacks its newline only where it is very long, or on `flush`. */
  constructor(show: (lines: Buffer) => void) {
    this.#show = show;
  }

  push(chunk: Buffer): void {
    this.#held = Buffer.concat([this.#held, chunk]);
    const end = this.#held.lastIndexOf(10) + 1;
    this.#pass(this.#held.length - end > LONGEST_LINE ? this.#held.length : end);
  }

  flush(): void {
    this.#pass(this.#held.length);
  }

  #pass(length: number): void {
    if (length === 0) return;
    const lines = this.#held.subarray(0, length);
    this.#held = this.#held.subarray(length);
    this.#show(lines);
  }
}
