import { chmodSync, closeSync, ftruncateSync, openSync } from 'node:fs';
import { codeOf, writeAll } from '../system/files.ts';
import type { ScriptPart } from './control-commands.ts';

// Bash reads a script in blocks of this size, or of the size that the script has when it starts, if that is smaller.
const BLOCK = 8192;
/** Above so many bytes, what bash has read is given back to the disk. */
const MOST_KEPT = 1024 * 1024;

/**
 * The script of a bash: a file that grows while bash runs it. Bash reads a file in blocks, and a pipe byte by byte, which took
 * most of the time of a line.
 *
 * Bash must never get to the end of the file, or it ends: the last command of each part waits until there is more.
 */
export class GrowingScript {
  readonly #fd: number;
  /** Where the next part goes. */
  #end = 0;
  /** Before this, the file has nothing but a hole. */
  #begin = 0;
  /** The end of the last part, which bash has not read while it waits. */
  #unread: Buffer;

  constructor(path: string, text: string) {
    this.#fd = openSync(path, 'ax', 0o600);
    chmodSync(path, 0o600);
    this.#unread = Buffer.from(`#${'#'.repeat(BLOCK)}\n${text}`);
    try {
      this.#write(this.#unread);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /**
   * Adds commands, for a bash that waits. If this throws, bash goes on waiting, and nothing has changed for it.
   */
  append({ text, unread }: ScriptPart): void {
    const part = Buffer.from(text + unread);
    if (this.#end - this.#begin > MOST_KEPT) this.#forget();
    try {
      this.#write(part);
    } catch (error) {
      if (codeOf(error) !== 'ENOSPC') throw error;
      // What bash has read takes room that a short part does with: a line can make room on a full disk.
      this.#forget();
      this.#write(part);
    }
    this.#unread = Buffer.from(unread);
  }

  close(): void {
    closeSync(this.#fd);
  }

  #write(part: Buffer): void {
    try {
      writeAll(this.#fd, part);
    } catch (error) {
      // Bash would read the beginning of this.
      ftruncateSync(this.#fd, this.#end);
      throw error;
    }
    this.#end += part.length;
  }

  #forget(): void {
    ftruncateSync(this.#fd, 0);
    this.#end -= this.#unread.length;
    this.#begin = this.#end;
    ftruncateSync(this.#fd, this.#end);
    this.#write(this.#unread);
  }
}
