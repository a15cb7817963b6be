/** The time, so that tests can pass their own. */
export interface Clock {
  /** Milliseconds since 1970, as dates count them. */
  now(): number;
  /** Calls back once after this many milliseconds, without keeping the process alive. Returns a function that cancels it. */
  after(milliseconds: number, callback: () => void): () => void;
}

/** The machine's time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};
