import { existsSync, renameSync, statSync, unlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import { orElse } from '../../base/system/files.ts';
import { AgentCall, type Execute } from './agent-call.ts';
import { FifoReader, FifoWriter, hasReader, makeFifos } from './fifos.ts';
import { makePrivate, removeFolder } from './private-folder.ts';

const FEWEST = 4;
const MOST_AT_ONCE = 256;
/** After a burst of callers, each that ends takes its slot away, down to this number. */
const MOST_IDLE = 32;
/** On a busy machine, a hundred callers at once need a while to open the slots that they have taken. */
const OPENED_BY_MS = 2000;

/**
 * Slots connect callers inside bash to this process: folders with a FIFO for each direction, made ahead.
 *
 * A caller takes a slot by creating the file `taken` in it, which starts no process. The slot is free again once its caller has
 * acknowledged the reply. This process holds one end of each FIFO, so the kernel tells callers when it has ended.
 * A caller that finds no free slot writes a byte to `knock`, and waits for one from `door`.
 */
export class Slots {
  readonly #directory: string;
  readonly #env: Environment;
  readonly #execute: Execute;
  #door: FifoWriter | undefined;
  #knock: FifoReader | undefined;
  readonly #slots = new Set<Slot>();
  // Shared, since no slot keeps its chunk.
  readonly #buffer = Buffer.allocUnsafe(64 * 1024);
  #made = 0;
  #knocks = 0;
  #isClosed = false;

  /**
   * @param directory must be private.
   * @param env its PATH is searched for mkfifo(1).
   * @param others FIFOs to make first, by the same mkfifo(1), to save the time of another.
   */
  constructor(
    directory: string,
    env: Environment,
    execute: Execute,
    others: readonly string[] = [],
  ) {
    this.#directory = directory;
    this.#env = env;
    this.#execute = execute;
    makePrivate(this.#path('slots'));
    const folders = this.#newFolders(FEWEST);
    const [door, knock] = [this.#path('door'), this.#path('knock')];
    makeFifos([...others, door, knock, ...folders.flatMap(fifosOf)], env);
    try {
      this.#door = new FifoWriter(door, () => {});
      this.#knock = new FifoReader(knock, (chunk) => this.#onKnock(chunk.length), this.#buffer);
      for (const folder of folders) this.#add(folder);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  get isWhole(): boolean {
    return ['slots', 'door', 'knock'].every((name) => existsSync(this.#path(name)));
  }

  /** Waiting callers see the end of their FIFO. */
  close(): void {
    this.#isClosed = true;
    this.#door?.close();
    this.#knock?.close();
    for (const slot of this.#slots) slot.close();
    this.#slots.clear();
  }

  #path(name: string): string {
    return join(this.#directory, name);
  }

  #onKnock(count: number): void {
    this.#knocks += count;
    this.#answerKnocks();
  }

  #answerKnocks(): void {
    // Another caller may take a new slot first, so there must be a free slot for each knock.
    while (this.#knocks > 0) {
      const canGo = this.#countFree() >= this.#knocks || this.#grow();
      const answered = Math.min(this.#countFree(), this.#knocks);
      if (answered > 0) {
        this.#knocks -= answered;
        this.#door?.write(Buffer.alloc(answered, '.'));
      }
      if (!canGo) return;
    }
  }

  /** Returns false if no descriptors or processes are left: then callers get the next slot that becomes free. */
  #grow(): boolean {
    for (const slot of this.#slots) {
      if (slot.isAbandoned) this.#drop(slot);
    }
    const count = Math.min(Math.max(this.#knocks, FEWEST), MOST_AT_ONCE);
    return orElse(() => this.#make(count) === undefined, false);
  }

  #countFree(): number {
    return [...this.#slots].filter((slot) => !slot.isTaken).length;
  }

  #make(count: number): void {
    const folders = this.#newFolders(count);
    let ready = 0;
    try {
      makeFifos(folders.flatMap(fifosOf), this.#env);
      for (const folder of folders) {
        this.#add(folder);
        ready += 1;
      }
    } catch (error) {
      for (const folder of folders.slice(ready)) removeFolder(folder);
      if (ready === 0) throw error;
    }
  }

  #newFolders(count: number): string[] {
    const folders = Array.from({ length: count }, () => this.#path(`slot-${this.#made++}`));
    folders.forEach(makePrivate);
    return folders;
  }

  #add(folder: string): void {
    const slot: Slot = new Slot(folder, this.#buffer, {
      execute: this.#execute,
      onDone: () => {
        if (this.#slots.size > MOST_IDLE) this.#drop(slot);
        else slot.free();
        this.#answerKnocks();
      },
      onBroken: () => this.#drop(slot),
    });
    slot.show(this.#path(join('slots', basename(folder))));
    this.#slots.add(slot);
  }

  #drop(slot: Slot): void {
    if (this.#isClosed || !this.#slots.delete(slot)) return;
    slot.remove(this.#path(`slot-${this.#made++}`));
  }
}

const fifosOf = (folder: string) => [join(folder, 'in'), join(folder, 'out')] as const;

interface SlotOptions {
  readonly execute: Execute;
  /** A call has ended; the slot is still taken. */
  readonly onDone: () => void;
  /** The caller left before it had its whole reply. */
  readonly onBroken: () => void;
}

/** A place for one caller at a time: a folder with the FIFOs `in`, to this process, and `out`, to the caller. */
class Slot {
  readonly #input: FifoReader;
  readonly #output: FifoWriter;
  readonly #options: SlotOptions;
  #folder: string;
  #call: AgentCall;

  constructor(folder: string, buffer: Buffer, options: SlotOptions) {
    this.#folder = folder;
    this.#options = options;
    const [input, output] = fifosOf(folder);
    this.#output = new FifoWriter(output, options.onBroken);
    this.#call = this.#newCall();
    try {
      this.#input = new FifoReader(input, (chunk) => this.#call.receive(chunk), buffer);
    } catch (error) {
      this.#output.close();
      throw error;
    }
  }

  show(folder: string): void {
    renameSync(this.#folder, folder);
    this.#folder = folder;
  }

  get isTaken(): boolean {
    return existsSync(this.#taken);
  }

  /** True if its caller has ended: a living one has `out` open, or is about to open it. */
  get isAbandoned(): boolean {
    const taken = statSync(this.#taken, { throwIfNoEntry: false });
    return !this.#hasCaller && taken !== undefined && Date.now() - taken.mtimeMs > OPENED_BY_MS;
  }

  get #hasCaller(): boolean {
    return hasReader(join(this.#folder, 'out'));
  }

  free(): void {
    // A line may have removed it, perhaps with its folder.
    orElse(() => unlinkSync(this.#taken), undefined);
  }

  close(): void {
    this.#call.abandon();
    this.#input.close();
    this.#output.close();
  }

  /** Renames it before it is removed, so that no caller finds half a slot. */
  remove(hidden: string): void {
    // A line may have removed it.
    orElse(() => this.show(hidden), undefined);
    this.close();
    // If this fails, it goes with the private folder.
    orElse(() => removeFolder(hidden), undefined);
  }

  get #taken(): string {
    return join(this.#folder, 'taken');
  }

  #newCall(): AgentCall {
    return new AgentCall({
      write: (bytes) => this.#output.write(bytes),
      execute: this.#options.execute,
      isGone: () => !this.#hasCaller,
      onDone: () => {
        this.#call = this.#newCall();
        this.#options.onDone();
      },
    });
  }
}
