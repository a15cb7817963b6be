export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `4s ago`, `3m ago`, `2h ago`, `5d ago`; with the unit after which it changes, in milliseconds. */
export function timeAgo(elapsed: number): { readonly text: string; readonly unit: number } {
  const [unit, name] =
    elapsed < MINUTE
      ? [SECOND, 's']
      : elapsed < HOUR
        ? [MINUTE, 'm']
        : elapsed < 2 * DAY
          ? [HOUR, 'h']
          : [DAY, 'd'];
  return { text: `${Math.max(0, Math.floor(elapsed / unit))}${name} ago`, unit };
}
