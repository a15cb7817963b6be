import { safeText } from '../safe-text.ts';
import type { SettingsSource } from '../settings/settings.ts';
import type { ListHome } from '../state/list-home.ts';
import { USER } from '../state/place.ts';
import { changedSince } from '../tasks/reasons.ts';
import type { Task } from '../tasks/task.ts';
import { taskCommands } from '../tasks/task-commands.ts';
import { isSameTask } from '../tasks/task-history.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import type { TaskRequest } from './model.ts';
import type { TasksChanged } from './task-edits.ts';

/**
 * Makes a person's change with the command that an agent would use. It is refused if the task has changed since the person
 * saw it.
 */
export async function changeTask(
  store: TaskStore,
  lists: ListHome,
  settings: SettingsSource,
  { command: name, json, seen, force = false }: TaskRequest,
): Promise<TasksChanged> {
  const asSeen = store.objectedBy(({ tasks }) =>
    seen === undefined || isSameTask(seen, tasks.get(seen.id)) ? undefined : changedSince(seen.id),
  );
  const commands = taskCommands({ open: () => asSeen, settings, around: lists.around });
  const command = commands.find((one) => one.name === name);
  const { stdout, stderr, exitCode } = (await command?.execute({
    argv: [...(force ? ['--force'] : []), JSON.stringify(json)],
    stdin: async () => '',
    env: { TODO_AGENT: USER },
  })) ?? { stdout: '', stderr: `there is no ${name}`, exitCode: 1 };
  if (exitCode !== 0) {
    return { refused: refusalText(stderr), now: seen && (await taskNow(store, seen.id)) };
  }
  const { version, before, after } = asSeen.lastChange ?? {};
  const created = [...(after?.tasks.keys() ?? [])].find((id) => !before?.tasks.has(id));
  const [, unblocked] = /^Unblocked: (.*)$/m.exec(stdout) ?? [];
  return { version, created, remark: unblocked === undefined ? '' : `; unblocked ${unblocked}` };
}

/** Turns the lines of an error into `Cannot update task #3: #3 is claimed by ann`. */
function refusalText(stderr: string): string {
  const lines = stderr.split('\n');
  const title = lines.find((line) => line.startsWith('Error: '))?.slice('Error: '.length);
  const reasons = lines
    .filter((line) => line.startsWith('- '))
    .map((line) => line.replace(/^- (?:[a-z_]+: )?/, ''));
  return safeText([title, reasons.join('; ')].filter(Boolean).join(': '));
}

async function taskNow(store: TaskStore, id: number): Promise<Task | undefined> {
  try {
    return (await store.read()).graph.tasks.get(id);
  } catch {
    return undefined;
  }
}
