/** Time, as a panel needs it: so that tests can hand in their own. */
export interface Clock {
  /** Milliseconds since 1970, as dates count them. */
  now(): number;
  /** Calls back once after this many milliseconds, without keeping the process alive. Returns what prevents it. */
  after(milliseconds: number, callback: () => void): () => void;
}

/** The time of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};
