// The task lists that are written, and the command lines that write them.

/** A list of so many items, of which the first `done` are completed and the next one is in progress. */
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

/** Ten states of a list, from its first item in progress on: so that each update is one that changes something. */
export function listsOf(count) {
  return Array.from({ length: 10 }, (_, step) => listOf(count, Math.floor((step * count) / 10)));
}

export function lineOf(list) {
  return `TodoWrite '${list}'`;
}

/** What most rows write. */
export const TEN_ITEMS = listOf(10, 3);
