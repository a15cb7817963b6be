import { TaskGuide } from '../guidance/task-guide.ts';
import { TaskCommand } from '../tasks/task-command.ts';
import { taskContext } from '../tasks/task-context.ts';
import type { TaskForm } from '../tasks/task-form.ts';
import { runExecutable } from './run-executable.ts';

/** Runs a task command as a program of its own, on lists in files. */
export function runTaskExecutable<Request>(form: TaskForm<Request>): Promise<void> {
  return runExecutable((lists, settings, directory) => {
    const context = { environment: process.env, directory: () => directory, lists: () => lists };
    const tasks = taskContext(context);
    const guide = new TaskGuide({
      tasks: () => tasks.open(undefined),
      agent: () => tasks.settings().settings.agent,
      settings: () => settings().settings,
    });
    return guide.guided(new TaskCommand(form, tasks));
  });
}
