const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `4 s ago`, `3 min ago`, `2 h ago`, `5 days ago`; with the unit after which it changes, in milliseconds. */
export function timeAgo(elapsed: number): { readonly text: string; readonly unit: number } {
  const [unit, name] =
    elapsed < MINUTE
      ? [SECOND, 's']
      : elapsed < HOUR
        ? [MINUTE, 'min']
        : elapsed < 2 * DAY
          ? [HOUR, 'h']
          : [DAY, 'days'];
  return { text: `${Math.max(0, Math.floor(elapsed / unit))} ${name} ago`, unit };
}
