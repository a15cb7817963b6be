import { listNotes } from '../guidance/rules.ts';
import { TodoWriteHandler } from '../todo/todo-write.ts';
import { runExecutable } from './run-executable.ts';

runExecutable((home, settings) => new TodoWriteHandler(home.open, settings, home, listNotes(home)));
