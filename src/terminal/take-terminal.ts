/** Where keys come from: `process.stdin`, or anything like it. */
export interface KeyStream {
  readonly isTTY?: boolean;
  setRawMode?(raw: boolean): unknown;
  resume(): unknown;
  pause(): unknown;
  on(event: 'data', listener: (keys: Uint8Array | string) => void): unknown;
  off(event: 'data', listener: (keys: Uint8Array | string) => void): unknown;
}

/** How a program uses a terminal that it has to itself. */
export interface TerminalUse {
  /** Draws everything: when the terminal is taken, and again whenever the program goes on after it was stopped. */
  enter(): void;
  /** Takes away what must not stay on a terminal that others use: before the program stops or ends. */
  leave(): void;
  /** The keys typed, but for those that make signals. Without it, what is typed is dropped. */
  onKeys?(keys: string): void;
}

const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
/** What the terminal itself makes of these keys while it is not raw. */
const SIGNAL_OF_KEY = new Map([
  ['\x03', 'SIGINT'],
  ['\x1a', 'SIGTSTP'],
  ['\x1c', 'SIGQUIT'],
] as const);
const SIGNAL_KEYS = /([\x03\x1a\x1c])/;
/** How long a stop that the system refuses (nobody could continue the program) is waited for. */
const STOPPING_MS = 50;

/**
 * Takes a terminal: keys are not echoed, Ctrl-Z and `fg` work, and the terminal is given back as it was however the
 * program ends: by itself, by an error, or by a signal.
 *
 * A signal that the program listens to itself is left to it. Where `input` is no terminal, its keys are not read.
 *
 * @returns what gives the terminal back, as often as it is called.
 */
export function takeTerminal(input: KeyStream, use: TerminalUse): () => void {
  const isKeyboard = input.isTTY === true && input.setRawMode !== undefined;
  let isTaken = false;
  let isReleased = false;

  const take = () => {
    if (isTaken || isReleased) return;
    isTaken = true;
    if (isKeyboard) {
      input.on('data', onData);
      input.setRawMode?.(true);
      input.resume();
    }
    use.enter();
  };
  const giveBack = () => {
    if (!isTaken) return;
    isTaken = false;
    attempt(() => use.leave());
    if (!isKeyboard) return;
    input.off('data', onData);
    attempt(() => input.setRawMode?.(false));
    input.pause();
  };
  const release = () => {
    giveBack();
    isReleased = true;
    process.off('exit', release).off('uncaughtExceptionMonitor', fail);
    process.off('SIGTSTP', stop).off('SIGCONT', goOn);
    for (const signal of ENDING) process.off(signal, end);
  };

  // Before Node prints the error, which would else be lost with the screen.
  const fail = () => {
    if (process.listenerCount('uncaughtException') === 0) release();
  };
  const end = (signal: NodeJS.Signals) => {
    if (process.listenerCount(signal) > 1) return;
    release();
    process.kill(process.pid, signal);
  };
  const stop = () => {
    giveBack();
    // With no listener the signal stops the program, as it would any other.
    process.off('SIGTSTP', stop);
    process.kill(process.pid, 'SIGTSTP');
    setTimeout(() => isTaken || goOn(), STOPPING_MS);
  };
  const goOn = () => {
    if (isReleased) return;
    process.off('SIGTSTP', stop).on('SIGTSTP', stop);
    // After a stop that could not be seen coming, the terminal has been someone else's too.
    if (isTaken) giveBack();
    take();
    // Nobody tells a stopped program that its terminal has another size now; this makes Node look.
    process.emit('SIGWINCH', 'SIGWINCH');
  };
  const onData = (data: Uint8Array | string) => {
    for (const part of Buffer.from(data).toString().split(SIGNAL_KEYS)) {
      const signal = SIGNAL_OF_KEY.get(part as '\x03');
      // To all that runs in front with this program, as the terminal sends it.
      if (signal) process.kill(0, signal);
      else if (part !== '') use.onKeys?.(part);
    }
  };

  process.on('exit', release).on('uncaughtExceptionMonitor', fail);
  process.on('SIGTSTP', stop).on('SIGCONT', goOn);
  // First, for one that listens once is gone from the count when its turn has come.
  for (const signal of ENDING) process.prependListener(signal, end);
  take();
  return release;
}

/** A terminal that is gone cannot be brought back to anything. */
function attempt(action: () => void): void {
  try {
    action();
  } catch {
    // Nothing is left to be done for it.
  }
}
