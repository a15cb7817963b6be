import { StringDecoder } from 'node:string_decoder';
import { orElse } from '../../base/system/files.ts';

/** Where keys come from: `process.stdin`, or anything like it. */
export interface KeyStream {
  readonly isTTY?: boolean;
  setRawMode?(raw: boolean): unknown;
  resume(): unknown;
  pause(): unknown;
  on(event: 'data', listener: (keys: Uint8Array | string) => void): unknown;
  off(event: 'data', listener: (keys: Uint8Array | string) => void): unknown;
}

export interface TerminalUse {
  /** Draws everything: at the start, and whenever the program continues after a stop. */
  enter(): void;
  /** Restores the terminal: before the program stops or ends. */
  leave(): void;
  /**
   * True if the terminal has not yet read everything that `leave` wrote. A program that ends by a signal then waits
   * briefly.
   */
  isBehind?(): boolean;
  /** Receives the keys, except those that send signals. Without it, keys are dropped. */
  onKeys?(keys: string): void;
  /** True while Ctrl-C is a key as any other, as in a field of text. */
  keepsInterrupt?(): boolean;
}

const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
/** The signals of these keys when the terminal is not raw. */
const SIGNAL_OF_KEY = new Map([
  ['\x03', 'SIGINT'],
  ['\x1a', 'SIGTSTP'],
  ['\x1c', 'SIGQUIT'],
] as const);
const SIGNAL_KEYS = /([\x03\x1a\x1c])/;
/** How long to wait for a stop; the system refuses one if nobody could continue the program. */
const STOPPING_MS = 50;
/** How long a terminal may take to read the last output. */
const READING_MS = 200;

/**
 * Takes a terminal: keys are not echoed, Ctrl-Z and `fg` work, and the terminal is restored however the program ends: by
 * itself, by an error, or by a signal.
 *
 * Signals that the program handles itself are left to it. If `input` is not a terminal, no keys are read.
 *
 * @returns a function that restores the terminal; further calls do nothing.
 */
export function takeTerminal(input: KeyStream, use: TerminalUse): () => void {
  const keys = rawKeys(input, use);
  let isTaken = false;
  let isReleased = false;

  const take = () => {
    isTaken = true;
    keys?.start();
    use.enter();
  };
  const giveBack = () => {
    if (!isTaken) return;
    isTaken = false;
    // A terminal that is gone cannot be restored.
    orElse(() => use.leave(), undefined);
    keys?.stop();
  };
  const release = () => {
    giveBack();
    isReleased = true;
    process.off('exit', release).off('uncaughtExceptionMonitor', fail);
    process.off('SIGTSTP', stop).off('SIGCONT', goOn);
    for (const signal of ENDING) process.off(signal, end);
  };

  // Before Node prints the error, which would vanish with the alternate screen.
  const fail = () => {
    if (process.listenerCount('uncaughtException') === 0) release();
  };
  const end = (signal: NodeJS.Signals) => {
    if (process.listenerCount(signal) > 1) return;
    release();
    endBy(signal, use);
  };
  const stop = () => {
    giveBack();
    // Without a listener, the signal stops the program.
    process.off('SIGTSTP', stop);
    process.kill(process.pid, 'SIGTSTP');
    setTimeout(() => isTaken || goOn(), STOPPING_MS);
  };
  const goOn = () => {
    if (isReleased) return;
    process.off('SIGTSTP', stop).on('SIGTSTP', stop);
    // After a SIGSTOP, which cannot be caught, others have used the terminal too.
    if (isTaken) giveBack();
    take();
    // A stopped program gets no SIGWINCH; this makes Node ask for the size.
    process.emit('SIGWINCH', 'SIGWINCH');
  };

  process.on('exit', release).on('uncaughtExceptionMonitor', fail);
  process.on('SIGTSTP', stop).on('SIGCONT', goOn);
  // Prepended, because a `once` listener would already be gone from the count.
  for (const signal of ENDING) process.prependListener(signal, end);
  take();
  return release;
}

function endBy(signal: NodeJS.Signals, { isBehind }: TerminalUse): void {
  const ended = () => process.kill(process.pid, signal);
  if (isBehind?.()) setTimeout(ended, READING_MS);
  else ended();
}

/** Keys as they are pressed, without echo; undefined if the input is no keyboard. */
function rawKeys(input: KeyStream, use: TerminalUse) {
  if (input.isTTY !== true || input.setRawMode === undefined) return undefined;
  // A read can end inside a character.
  const decoder = new StringDecoder('utf8');
  const onData = (data: Uint8Array | string) => tellKeys(decoder.write(data), use);
  return {
    start: () => {
      input.on('data', onData);
      input.setRawMode?.(true);
      input.resume();
    },
    stop: () => {
      input.off('data', onData);
      orElse(() => input.setRawMode?.(false), undefined);
      input.pause();
    },
  };
}

function tellKeys(typed: string, use: TerminalUse): void {
  for (const part of typed.split(SIGNAL_KEYS)) {
    const signal = SIGNAL_OF_KEY.get(part as '\x03');
    const isKey = signal === 'SIGINT' && use.keepsInterrupt?.();
    // To the whole foreground group, as the terminal does.
    if (signal && !isKey) process.kill(0, signal);
    else if (part !== '') use.onKeys?.(part);
  }
}
