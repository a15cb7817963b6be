import { listNotes } from '../guidance/rules.ts';
import { TodoWriteHandler } from '../todo/todo-write.ts';
import { runExecutable } from './run-executable.ts';

runExecutable(
  (lists, settings) => new TodoWriteHandler(lists.open, settings, lists, listNotes(lists)),
);
