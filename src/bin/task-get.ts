import { TASK_GET } from '../tasks/task-get.ts';
import { runTaskExecutable } from './run-task-executable.ts';

runTaskExecutable(TASK_GET);
