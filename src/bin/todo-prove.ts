import { listNotes } from '../guidance/rules.ts';
import { TodoProveHandler } from '../todo/todo-prove.ts';
import { runExecutable } from './run-executable.ts';

runExecutable((home, settings) => new TodoProveHandler(home.open, settings, home, listNotes(home)));
