import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';

const BLOCK = 4096;

/**
 * A private file whose text is replaced again and again. The rest of a longer text before is overwritten with newlines.
 *
 * On some file systems, truncating a file, or closing one that was truncated, takes longer than everything else that a line
 * costs.
 */
export class RewrittenFile {
  path: string;
  #fd: number | undefined;
  #size = 0;

  constructor(path: string) {
    this.path = path;
  }

  /** Continues at another path, whose folder exists. */
  move(path: string): void {
    this.close();
    this.path = path;
  }

  /** Makes `text` the content of the file, and makes the file again if someone deleted it. */
  write(text: string): void {
    if (this.#fd !== undefined && fstatSync(this.#fd).nlink === 0) {
      this.close();
    }
    if (this.#fd === undefined) {
      this.#fd = openSync(this.path, 'w', 0o600);
      this.#size = 0;
    }
    const bytes = Buffer.from(text);
    if (this.#size > BLOCK) {
      ftruncateSync(this.#fd, bytes.length);
      this.#size = bytes.length;
    }
    const padding = Buffer.alloc(Math.max(0, this.#size - bytes.length), '\n');
    // Also if the disk is full before the end: what is there of this text must not stay behind a shorter one.
    this.#size = Math.max(this.#size, bytes.length);
    writeAll(this.#fd, Buffer.concat([bytes, padding]));
  }

  close(): void {
    if (this.#fd !== undefined) {
      closeSync(this.#fd);
    }
    this.#fd = undefined;
  }
}

function writeAll(fd: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) {
    written += writeSync(fd, bytes, written, bytes.length - written, written);
  }
}
