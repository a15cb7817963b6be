import { TASK_UPDATE } from '../tasks/task-update.ts';
import { runTaskExecutable } from './run-task-executable.ts';

runTaskExecutable(TASK_UPDATE);
