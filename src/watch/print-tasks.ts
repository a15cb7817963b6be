import { EXIT_CODES } from '../command/agent-command.ts';
import { jsonLine } from '../json/json-value.ts';
import { plainTaskReport } from '../panel/plain-report.ts';
import { safeText } from '../safe-text.ts';
import { readSettings } from '../settings/settings.ts';
import { StateError } from '../state/state-error.ts';
import { openTaskList } from '../tasks/open-task-store.ts';
import { TASK_STEPS } from '../tasks/stored-tasks.ts';
import { NO_TASKS } from '../tasks/task.ts';
import { type TaskRow, type TaskStore, taskView } from '../tasks/task-store.ts';
import { endingSignals } from './ending-signals.ts';
import { watchedLists } from './sources.ts';
import type { WatchArguments } from './watch-arguments.ts';

/** Prints each change of a team's tasks, in words or as JSON, until a signal. Returns the exit code. */
export async function printTasks({ list, taskList, jsonl }: WatchArguments): Promise<number> {
  const environment = {
    ...process.env,
    ...(list.session !== undefined && { TODO_SESSION: list.session }),
  };
  const { settings } = readSettings(environment, undefined);
  const watched = watchedLists(environment);
  const signals = endingSignals();
  try {
    const name = taskList ?? settings.taskList ?? watched.lists.teamSession();
    const store = openTaskList(watched.lists, name, undefined);
    await store.read();
    const end = jsonl ? printSteps(store) : printWords(store);
    const exitCode = await signals.exitCode;
    end();
    return exitCode;
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    sayTrouble(error);
    return EXIT_CODES.storageTrouble;
  } finally {
    signals.ignore();
    await watched.close();
  }
}

function printWords(store: TaskStore): () => void {
  const source = taskView(store);
  let seen: readonly TaskRow[] = [];
  const print = () => {
    const rows = source.rows();
    const report = plainTaskReport(seen, rows);
    seen = rows;
    if (report !== '') process.stdout.write(`${report}\n`);
  };
  const end = source.onChange(print);
  print();
  return end;
}

/** Prints what each change did. The first line is everything there is; simultaneous changes share a line. */
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
