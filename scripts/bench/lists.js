// Task lists, and the command lines that write them.

/** A list with `done` completed items and the next one in progress. */
export function itemsOf(count, done) {
  return Array.from({ length: count }, (_, index) => ({
    content: `Write the chapter number ${index}`,
    activeForm: `Writing the chapter number ${index}`,
    status: index < done ? 'completed' : index === done ? 'in_progress' : 'pending',
  }));
}

export function listOf(count, done) {
  return JSON.stringify({ todos: itemsOf(count, done) });
}

/** Ten successive states of a list, so that each update changes something. */
export function listsOf(count) {
  return Array.from({ length: 10 }, (_, step) => listOf(count, Math.floor((step * count) / 10)));
}

export function lineOf(list) {
  return `TodoWrite '${list}'`;
}

/** Used by most rows. */
export const TEN_ITEMS = listOf(10, 3);
