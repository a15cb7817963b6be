import { Guide } from '../guidance/guide.ts';
import { LIST_NOTES } from '../guidance/list-notes.ts';
import { DamagedVersion } from '../state/state-error.ts';
import type { TodoList } from '../todo/todo-store.ts';
import { TodoWriteHandler } from '../todo/todo-write.ts';
import { runExecutable } from './run-executable.ts';

/** The command says what is wrong with the list, or replaces it. */
function unlessDamaged(error: unknown): void {
  if (!(error instanceof DamagedVersion)) throw error;
}

runExecutable((lists, settings) => {
  let list: TodoList | undefined;
  const guide = new Guide({
    store: { get: () => list?.get() },
    rules: LIST_NOTES,
    settings: () => settings().settings,
    isSubagent: () => list !== undefined && lists.isOfSubagent(list),
  });
  // The command's own options say which list it is.
  const handler = new TodoWriteHandler(
    (name, of) => {
      const opened = lists.open(name, of);
      list = opened;
      const look = () => {
        guide.look();
        return opened;
      };
      const now = opened.isFar ? opened.read() : undefined;
      return now instanceof Promise ? now.catch(unlessDamaged).then(look) : look();
    },
    settings,
    (guarded, version) => lists.setUntilDone(guarded, version),
    lists.around,
  );
  return guide.guided(handler);
});
