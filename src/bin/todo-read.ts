import { TodoReadHandler } from '../todo/todo-read.ts';
import { runExecutable } from './run-executable.ts';

runExecutable(({ open }, settings) => new TodoReadHandler(open, settings));
