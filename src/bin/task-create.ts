import { TASK_CREATE } from '../tasks/task-create.ts';
import { runTaskExecutable } from './run-task-executable.ts';

runTaskExecutable(TASK_CREATE);
