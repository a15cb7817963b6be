import { TaskCommand } from '../tasks/task-command.ts';
import type { TaskForm } from '../tasks/task-form.ts';
import { runExecutable } from './run-executable.ts';
import { taskContext } from './task-context.ts';

/** Runs a task command as a program of its own, on lists in files. */
export function runTaskExecutable<Request>(form: TaskForm<Request>): Promise<void> {
  return runExecutable((lists, _, directory) => {
    const context = { environment: process.env, directory: () => directory, lists: () => lists };
    return new TaskCommand(form, taskContext(context));
  });
}
