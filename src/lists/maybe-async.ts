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
export type MaybeAsync<T> = Generator<Promise<unknown>, T, unknown>;

/**
 * Runs a generator like an async function, but synchronously as long as nothing yields a promise. It uses `yield*
 * settled(value)` in place of `await value`.
 */
export function maybeAsync<T>(code: MaybeAsync<T>): Awaitable<T> {
  const first = code.next();
  return first.done ? first.value : theRest(code, first.value);
}

export function* settled<T>(value: Awaitable<T>): MaybeAsync<T> {
  return value instanceof Promise ? ((yield value) as T) : value;
}

async function theRest<T>(code: MaybeAsync<T>, waitedFor: Promise<unknown>): Promise<T> {
  for (let coming = waitedFor; ; ) {
    const next = await coming.then(
      (value) => code.next(value),
      (error) => code.throw(error),
    );
    if (next.done) return next.value;
    coming = next.value;
  }
}
