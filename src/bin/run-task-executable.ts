import { TaskGuide } from '../guidance/task-guide.ts';
import { TaskCommand } from '../tasks/task-command.ts';
import { taskContext } from '../tasks/task-context.ts';
import type { TaskForm } from '../tasks/task-form.ts';
import { runExecutable } from './run-executable.ts';

/** Runs a task command as a program of its own, on lists in files. */
export function runTaskExecutable<Request>(form: TaskForm<Request>): Promise<void> {
  return runExecutable((lists, settings, directory) => {
    const tasks = taskContext({
      environment: process.env,
      directory: () => directory ?? '/',
      settings,
      lists: () => lists,
    });
    const guide = new TaskGuide({
      tasks: (of) => tasks.open(undefined, of),
      settings,
    });
    return guide.guided(new TaskCommand(form, tasks));
  });
}
