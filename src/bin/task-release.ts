import { TASK_RELEASE } from '../tasks/task-release.ts';
import { runTaskExecutable } from './run-task-executable.ts';

runTaskExecutable(TASK_RELEASE);
