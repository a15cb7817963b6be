/*
 * Lists in memory and in files are synchronous, those on a server are not. Code for both is written once: it waits only if
 * there is a promise.
 */

/** A value, or a promise of one if it comes over a network. */
export type Awaitable<T> = T | Promise<T>;

export function whenDone<T, Next>(
  value: Awaitable<T>,
  next: (value: T) => Awaitable<Next>,
): Awaitable<Next> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** A generator that runs step by step and returns a `T`. */
export type Stepwise<T> = Generator<Promise<unknown>, T, unknown>;

/**
 * Runs a generator like an async function, but synchronously as long as nothing yields a promise. It uses `yield*
 * settled(value)` in place of `await value`.
 */
export function inSteps<T>(steps: Stepwise<T>): Awaitable<T> {
  const first = steps.next();
  return first.done ? first.value : theRest(steps, first.value);
}

export function* settled<T>(value: Awaitable<T>): Stepwise<T> {
  return value instanceof Promise ? ((yield value) as T) : value;
}

async function theRest<T>(steps: Stepwise<T>, waitedFor: Promise<unknown>): Promise<T> {
  for (let coming = waitedFor; ; ) {
    const next = await coming.then(
      (value) => steps.next(value),
      (error) => steps.throw(error),
    );
    if (next.done) return next.value;
    coming = next.value;
  }
}
