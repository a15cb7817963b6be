import { TASK_CLAIM } from '../tasks/task-claim.ts';
import { runTaskExecutable } from './run-task-executable.ts';

runTaskExecutable(TASK_CLAIM);
