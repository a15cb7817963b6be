import { closeSync, constants, existsSync, openSync, renameSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { AgentCall, type Execute } from './agent-call.ts';
import { FifoReader } from './fifo-reader.ts';
import { FifoWriter } from './fifos.ts';
import { removeDirectory } from './remove-directory.ts';

/** A place for one caller at a time: a folder with the FIFOs `in`, to this process, and `out`, to the caller. */
export class Slot {
  /** A call has ended; the slot is still taken. */
  onDone: (() => void) | undefined;
  /** The caller left before it had its whole reply. */
  onBroken: (() => void) | undefined;

  readonly #input: FifoReader;
  readonly #output: FifoWriter;
  readonly #execute: Execute;
  #folder: string;
  #call: AgentCall;

  constructor(folder: string, buffer: Buffer, execute: Execute) {
    this.#folder = folder;
    this.#execute = execute;
    this.#output = new FifoWriter(join(folder, 'out'), () => this.onBroken?.());
    this.#call = this.#newCall();
    try {
      const input = join(folder, 'in');
      this.#input = new FifoReader(input, (chunk) => this.#call.receive(chunk), buffer);
    } catch (error) {
      this.#output.close();
      throw error;
    }
    this.#input.unref();
  }

  /** Moves it to where callers look for slots. */
  show(folder: string): void {
    renameSync(this.#folder, folder);
    this.#folder = folder;
  }

  get isTaken(): boolean {
    return existsSync(this.#taken);
  }

  /** Whether it is taken by a caller that is gone: a living one reads `out`, or is about to open it. */
  get isAbandoned(): boolean {
    try {
      closeSync(openSync(join(this.#folder, 'out'), constants.O_WRONLY | constants.O_NONBLOCK));
      return false;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENXIO' && this.isTaken;
    }
  }

  /** Lets the next caller in. */
  free(): void {
    try {
      unlinkSync(this.#taken);
    } catch {
      // Someone has removed it, or the whole folder.
    }
  }

  /** The caller that has it learns that the host is gone. */
  close(): void {
    this.#call.abandon();
    this.#input.close();
    this.#output.close();
  }

  /** Closes and removes it in one step, so that nobody finds half a slot. */
  remove(hidden: string): void {
    try {
      this.show(hidden);
    } catch {
      // It is gone already.
    }
    this.close();
    try {
      removeDirectory(hidden);
    } catch {
      // It will go with its folder.
    }
  }

  get #taken(): string {
    return join(this.#folder, 'taken');
  }

  #newCall(): AgentCall {
    return new AgentCall({
      write: (bytes) => this.#output.write(bytes),
      execute: this.#execute,
      isGone: () => this.isAbandoned,
      onDone: () => {
        this.#call = this.#newCall();
        this.onDone?.();
      },
    });
  }
}
