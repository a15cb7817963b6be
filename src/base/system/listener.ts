/** Calls a listener. Its error does not fail the caller, but becomes a warning of the process. */
export function tellListener<News>(listener: ((news: News) => unknown) | undefined, news: News) {
  try {
    const heard = listener?.(news);
    return heard instanceof Promise ? (heard as Promise<void>).catch(warn) : undefined;
  } catch (error) {
    return warn(error);
  }
}

export function warn(error: unknown): undefined {
  process.emitWarning(error instanceof Error ? error : new Error(String(error)));
}
