import type { AsyncLocalStorage } from 'node:async_hooks';

/** With a longer time, setTimeout fires at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Milliseconds that never go back. The first use of `performance` takes a twelfth of Node's start. */
export const clockMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/**
 * The time that all requests to servers, and the pauses before further attempts, may take together. Time between requests,
 * as for running a check, does not count.
 */
class ServerTimeLimit {
  #leftMs: number;
  #requests = 0;
  #since = 0;

  constructor(ms: number) {
    this.#leftMs = Math.min(ms, LONGEST_TIMER_MS);
  }

  async spend<T>(request: (deadline: number) => Promise<T>): Promise<T> {
    if (this.#requests++ === 0) this.#since = clockMs();
    try {
      return await request(this.#since + this.#leftMs);
    } finally {
      if (--this.#requests === 0) this.#leftMs -= clockMs() - this.#since;
    }
  }
}

/** Created only with a server: it makes all promises of a program a little slower. */
let limitOfCall: AsyncLocalStorage<ServerTimeLimit> | undefined;
/** For programs that run one command, whose requests all belong to it. */
let programLimit: ServerTimeLimit | undefined;

export interface ServerTime {
  readonly stateUrl: string | undefined;
  /** Seconds. */
  readonly stateTimeout: number;
}

/** Runs a command within the time limit of its settings, or within that of its caller. */
export function limitCommand<T>({ stateUrl, stateTimeout }: ServerTime, command: () => T): T {
  return stateUrl === undefined ? command() : limitChange(stateTimeout * 1000, command);
}

/** Limits the time of all requests of a change, unless its command has a limit. */
export function limitChange<T>(ms: number, change: () => T): T {
  return (limitOfCall?.getStore() ?? programLimit) ? change() : limitAnew(ms, change);
}

/** Limits the time of all requests of a program that runs one command. */
export function limitProgram({ stateUrl, stateTimeout }: ServerTime): void {
  if (stateUrl !== undefined) programLimit = new ServerTimeLimit(stateTimeout * 1000);
}

/** Limits the time of all requests that `work` makes, whatever limit the caller has. */
export function limitAnew<T>(ms: number, work: () => T): T {
  limitOfCall ??= new (process.getBuiltinModule('node:async_hooks').AsyncLocalStorage)();
  return limitOfCall.run(new ServerTimeLimit(ms), work);
}

/** Sockets and timers run their listeners within the limit in which they were created, long after it is used up. */
export function withoutTimeLimit(listener: () => void): void {
  if (limitOfCall) limitOfCall.exit(listener);
  else listener();
}

/**
 * Makes a request to a server in the remaining time; without a limit, in `ms`.
 *
 * @param request receives its deadline on `clockMs`.
 */
export function inTime<T>(ms: number, request: (deadline: number) => Promise<T>): Promise<T> {
  return (limitOfCall?.getStore() ?? programLimit ?? new ServerTimeLimit(ms)).spend(request);
}

/** Not node:timers/promises, which each start of a command would load. @param isWork whether it keeps the process alive. */
export function pause(ms: number, isWork = true): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    if (!isWork) timer.unref();
  });
}
