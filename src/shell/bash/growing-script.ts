import { chmodSync, closeSync, ftruncateSync, openSync } from 'node:fs';
import { codeOf, writeAll } from '../../base/system/files.ts';
import type { ScriptPart } from './control-commands.ts';

// Bash reads a script in blocks of this size, or of the script's size when bash starts, if that is smaller.
const BASH_BLOCK_BYTES = 8192;
/** Above this many bytes, the blocks that bash has read are freed. */
const MOST_SCRIPT_BYTES = 1024 * 1024;

/**
 * The script of a bash: a file that grows while bash runs it. Bash reads a file in blocks, but a pipe byte by byte, which took
 * most of the time of a line.
 *
 * Bash exits at the end of the file: the last command of each part waits until there is more.
 */
export class GrowingScript {
  readonly #fd: number;
  #end = 0;
  /** The file is a hole up to here. */
  #begin = 0;
  /** The end of the last part, which a waiting bash has not read yet. */
  #unread: Buffer;

  constructor(path: string, text: string) {
    this.#fd = openSync(path, 'ax', 0o600);
    chmodSync(path, 0o600);
    this.#unread = Buffer.from(`#${'#'.repeat(BASH_BLOCK_BYTES)}\n${text}`);
    try {
      this.#write(this.#unread);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Adds commands for a waiting bash. If this throws, the script is unchanged. */
  append({ text, unread }: ScriptPart): void {
    const part = Buffer.from(text + unread);
    if (this.#end - this.#begin > MOST_SCRIPT_BYTES) this.#forget();
    try {
      this.#write(part);
    } catch (error) {
      if (codeOf(error) !== 'ENOSPC') throw error;
      // On a full disk, the freed blocks have room for a short line, which may free more.
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
      // Bash must not read half a part.
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
