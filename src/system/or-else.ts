/** The result of `get`; `otherwise` if it throws. */
export function orElse<T>(get: () => T, otherwise: T): T {
  try {
    return get();
  } catch {
    return otherwise;
  }
}
