import { TodoWriteHandler } from '../todo/todo-write.ts';
import { runExecutable } from './run-executable.ts';

runExecutable(({ open }, settings) => new TodoWriteHandler(open, settings));
