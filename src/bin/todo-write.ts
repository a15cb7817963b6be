import { listNotes } from '../guidance/rules.ts';
import { TodoWriteHandler } from '../todo/todo-write.ts';
import { runExecutable } from './run-executable.ts';

runExecutable(
  (lists, settings) =>
    new TodoWriteHandler(lists.open, settings, lists, async (list, before, after) => {
      if (lists.settings.guidance === 'off') return [];
      const isFinished = after.items.every(({ status }) => status === 'completed');
      return listNotes(before.items, after, isFinished && (await lists.isOfSubagent(list)));
    }),
);
