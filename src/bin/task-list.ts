import { TASK_LIST } from '../tasks/task-list.ts';
import { runTaskExecutable } from './run-task-executable.ts';

runTaskExecutable(TASK_LIST);
