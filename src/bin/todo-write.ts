import { Guide } from '../guidance/guide.ts';
import { LIST_NOTES } from '../guidance/rules.ts';
import { whenDone } from '../state/steps.ts';
import type { TodoList } from '../todo/todo-store.ts';
import { TodoWriteHandler } from '../todo/todo-write.ts';
import { runExecutable } from './run-executable.ts';

runExecutable((lists, settings) => {
  let list: TodoList | undefined;
  const guide = new Guide({
    store: { get: () => list?.get() },
    rules: LIST_NOTES,
    settings: () => lists.settings,
    isSubagent: () => list !== undefined && lists.isOfSubagent(list),
  });
  // The list depends on the command's own options.
  const handler = new TodoWriteHandler(
    (name, of) => {
      const opened = lists.open(name, of);
      list = opened;
      // The guide must see the list before it is replaced.
      return whenDone(opened.readAhead(), () => {
        guide.look();
        return opened;
      });
    },
    settings,
    (guarded, version) => lists.setUntilDone(guarded, version),
    lists.around,
  );
  return guide.guided(handler);
});
