import { listNotes } from '../guidance/rules.ts';
import { TodoProveHandler } from '../todo/todo-prove.ts';
import { runExecutable } from './run-executable.ts';

runExecutable(
  (lists, settings) => new TodoProveHandler(lists.open, settings, lists, listNotes(lists)),
);
