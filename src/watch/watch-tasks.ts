import { TaskPanel } from '../panel/task-panel.ts';
import { safeText } from '../safe-text.ts';
import { StateError } from '../state/state-error.ts';
import { openTaskStore } from '../tasks/open-task-store.ts';
import { NO_TASKS } from '../tasks/task.ts';
import { taskSource } from '../tasks/task-rows.ts';
import { TASK_STEPS } from '../tasks/task-steps.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import { jsonLine } from '../todo/list-json.ts';
import { TodoStore } from '../todo/todo-store.ts';
import { endingSignals } from './ending-signals.ts';
import type { WatchArguments } from './watch-arguments.ts';

const STORAGE_TROUBLE = 3;

/** Shows a team's tasks in files as they change, until a signal ends it. Gives its exit code. */
export async function watchTasks({ list, taskList, jsonl }: WatchArguments): Promise<number> {
  const { session, agent } = list;
  const environment = {
    ...process.env,
    ...(session !== undefined && { TODO_SESSION: session }),
    ...(agent !== undefined && { TODO_AGENT: agent }),
  };
  const directory = process.cwd();
  const store = openTaskStore({ environment, directory, ...(taskList && { list: taskList }) });
  try {
    store.get();
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    sayTrouble(error);
    return STORAGE_TROUBLE;
  }
  const signals = endingSignals();
  const end = jsonl ? printSteps(store) : showPanel(store);
  const exitCode = await signals.exitCode;
  signals.ignore();
  end();
  return exitCode;
}

function showPanel(store: TaskStore): () => void {
  const { stdout, env } = process;
  const canDraw = stdout.isTTY && env.TERM !== 'dumb';
  const mode = canDraw ? 'auto' : 'plain';
  const tasks = taskSource(store);
  const panel = new TaskPanel({ store: new TodoStore(), tasks, stream: stdout, env, mode });
  // There may be nothing to see for a while.
  if (canDraw) panel.write('Following the tasks of the team; Ctrl-C ends it.\n');
  return () => panel.dispose();
}

/** Prints what each change did; the first line is all that is there. Changes that come together are one line. */
function printSteps(store: TaskStore): () => void {
  let seen = { version: 0, graph: NO_TASKS };
  const print = () => {
    try {
      const now = store.get();
      if (now.version === seen.version) return;
      const { changed, deleted } = TASK_STEPS.between(seen.graph, now.graph);
      seen = now;
      process.stdout.write(jsonLine({ version: now.version, changed, deleted }));
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      sayTrouble(error);
    }
  };
  const end = store.onChange(print);
  print();
  return end;
}

function sayTrouble(error: StateError): void {
  process.stderr.write(`agent-shell: ${safeText(error.message)}\n`);
}
