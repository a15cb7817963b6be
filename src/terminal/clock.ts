/** Time, as a panel needs it: so that tests can hand in their own. */
export interface Clock {
  /** Milliseconds since any fixed moment. */
  now(): number;
  /** Calls back once after so many milliseconds, without keeping the process alive. Returns what prevents it. */
  after(milliseconds: number, callback: () => void): () => void;
}

/** The time of the machine. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};
