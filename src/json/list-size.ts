/** A longer list, however it comes, is refused before it is read. */
export const MAX_LIST_BYTES = 1024 * 1024;
