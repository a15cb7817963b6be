import { Guide } from '../guidance/guide.ts';
import { LIST_NOTES } from '../guidance/list-notes.ts';
import type { TodoStore } from '../todo/todo-store.ts';
import { TodoWriteHandler } from '../todo/todo-write.ts';
import { runExecutable } from './run-executable.ts';

runExecutable((lists, settings) => {
  let store: TodoStore | undefined;
  const guide = new Guide({
    store: { get: () => store?.get() },
    rules: LIST_NOTES,
    settings: () => settings().settings,
  });
  // Which list it is, the command's own options say.
  const handler = new TodoWriteHandler(
    (name, of) => {
      store = lists.open(name, of);
      guide.look();
      return store;
    },
    settings,
    (guarded, version) => lists.setUntilDone(guarded, version),
  );
  return guide.guided(handler);
});
