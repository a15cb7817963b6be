import { type SettingsSource, settingsOfCalls } from '../settings/settings.ts';
import type { ListName } from '../state/list-paths.ts';
import { type TaskContext, teamOf } from '../tasks/task-context.ts';
import { TaskStore } from '../tasks/task-store.ts';
import { TodoLists } from '../todo/todo-lists.ts';
import type { TodoSource } from '../todo/todo-source.ts';
import { type TodoList, todoStore } from '../todo/todo-store.ts';

/** The lists of an agent shell. */
export interface ShellList {
  /** For the commands. */
  readonly source: TodoSource;
  /** The list that is meant if no other is named; reading it may fail. */
  readonly shared: TodoList;
  /** For the task commands, whose list is in memory, too, unless a list in files is named. */
  readonly tasks: TaskContext;
  readonly settings: SettingsSource;
  /** Whether the list belongs to an agent that another agent has started. */
  readonly isSubagent: () => boolean;
  /** Ends the connections to the lists' server, if any. */
  readonly close: () => Promise<void>;
}

/**
 * The list in memory or, if a session is named, the one in the files of that session. A caller that names another list gets
 * it from files: the list in memory is only this shell's own.
 *
 * @param named What the shell itself was told. It goes into this process's environment, so that everything inside the shell,
 *   other programs included, means the same list.
 * @param id of the session, which releases its tasks at its end.
 */
export function shellList(named: Partial<ListName>, id?: string): ShellList {
  if (named.session !== undefined) process.env.TODO_SESSION = named.session;
  if (named.agent !== undefined) process.env.TODO_AGENT = named.agent;
  const calls = settingsOfCalls(process.env, process.cwd);
  const own = calls().settings;
  const files = new TodoLists(process.env, process.cwd(), own);
  const settings: SettingsSource = (call) => {
    const reading = calls(call);
    const warnings = own.stateDir === undefined ? [] : files.warnings;
    return warnings.length === 0
      ? reading
      : { ...reading, warnings: [...reading.warnings, ...warnings] };
  };
  const close = () => files.close();
  const isInMemory = own.session === undefined;
  const unnamed = isInMemory ? new TaskStore() : undefined;
  const tasks = teamOf(files, { settings, unnamed, session: id });
  if (!isInMemory) {
    const list = files.open({});
    const isSubagent = () => files.isOfSubagent(list);
    return { source: files.open, shared: list, tasks, settings, isSubagent, close };
  }
  const source: TodoSource = (name, of) => {
    if ((name.session ?? of.session) !== undefined) return files.open(name, of);
    return (name.agent ?? of.agent) === own.agent ? todoStore : { problem: OTHER_AGENT };
  };
  return { source, shared: todoStore, tasks, settings, isSubagent: () => false, close };
}

const OTHER_AGENT =
  'this shell keeps one list, in memory, and no other agent has one in it; name a session too, with TODO_SESSION or --session';
