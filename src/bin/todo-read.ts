import { TodoReadHandler } from '../todo/todo-read.ts';
import { runExecutable } from './run-executable.ts';

runExecutable(({ open }) => new TodoReadHandler(open));
