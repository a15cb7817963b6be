import { briefText } from '../safe-text.ts';
import { USER } from '../state/place.ts';
import type { Task } from '../tasks/task.ts';
import { NOTHING_TO_UNDO } from './edits.ts';
import type { TaskInput, TaskRequest, ViewerState } from './model.ts';
import { choices, chosen, withCursor } from './shown.ts';

/** The keys that change the team's tasks, on the board. */
export const TASK_EDITS = new Map<string, (state: ViewerState) => ViewerState>([
  ['n', (state) => ({ ...state, input: { kind: 'add', before: '', after: '', task: undefined } })],
  ['e', (state) => asking(state, 'edit', ({ subject }) => subject)],
  ['o', (state) => asking(state, 'owner', () => '')],
  ['p', (state) => changed(state, started)],
  ['x', (state) => changed(state, completed)],
  ['d', (state) => changed(state, deleted)],
  ['u', undone],
]);

/** A task command, and the message on success. */
type Change = Pick<TaskRequest, 'command' | 'json' | 'told' | 'force'>;

/** Turns the typed text into a new task, or into the subject or owner of the task it was typed for. */
export function taskWritten(state: ViewerState, input: TaskInput): ViewerState {
  const text = (input.before + input.after).trim();
  const { kind, task } = input;
  const isSame = text === ((kind === 'owner' ? task?.owner : task?.subject) ?? '');
  if (isSame || (text === '' && kind !== 'owner')) return { ...state, input: undefined };
  if (task === undefined) {
    const told = `Added "${briefText(text)}"`;
    return asked(state, { command: 'TaskCreate', json: { subject: text }, told }, undefined);
  }
  if (kind === 'edit') return asked(state, renamed(task, text), task);
  return asked(state, text === '' ? released(task) : assigned(task, text), task);
}

/** Starts an assigned task for its owner, and an unowned one for the user. */
function started(task: Task): Change {
  if (task.status === 'in_progress') return released(task);
  const json = { taskId: task.id, status: 'in_progress', owner: task.owner ?? USER };
  return { command: 'TaskUpdate', json, told: `Began ${name(task)}` };
}

function completed(task: Task): Change {
  const isDone = task.status === 'completed';
  const json = { taskId: task.id, status: isDone ? 'pending' : 'completed' };
  return {
    command: 'TaskUpdate',
    json,
    told: `${isDone ? 'Reopened' : 'Completed'} ${name(task)}`,
  };
}

function deleted(task: Task): Change {
  const json = { taskId: task.id, status: 'deleted' };
  return { command: 'TaskUpdate', json, told: `Deleted ${name(task)}; u undoes that` };
}

/** An active form would still describe the old subject, so it is replaced too. */
function renamed(task: Task, subject: string): Change {
  const json = {
    taskId: task.id,
    subject,
    ...(task.activeForm !== undefined && { activeForm: subject }),
  };
  return {
    command: 'TaskUpdate',
    json,
    told: `Changed to "${briefText(subject)}"`,
  };
}

/** The user is in charge, like a leader: other agents' claims do not prevent this. */
function assigned(task: Task, owner: string): Change {
  const told = `Assigned ${name(task)} to ${briefText(owner)}`;
  return { command: 'TaskUpdate', json: { taskId: task.id, owner }, told, force: true };
}

function released(task: Task): Change {
  return { command: 'TaskRelease', json: { taskIds: [task.id] }, told: `Released ${name(task)}` };
}

function name({ id, subject }: Task): string {
  return `#${id} ${briefText(subject)}`;
}

function target(state: ViewerState): Task | undefined {
  return state.known.tasks.tasks.get(Number(choices(state)[chosen(state)]));
}

function asking(
  state: ViewerState,
  kind: TaskInput['kind'],
  textOf: (task: Task) => string,
): ViewerState {
  const task = target(state);
  return task ? { ...state, input: { kind, before: textOf(task), after: '', task } } : state;
}

function changed(state: ViewerState, change: (task: Task) => Change): ViewerState {
  const task = target(state);
  // Keep the task selected, wherever it moves.
  return task ? asked(withCursor(state, String(task.id)), change(task), task) : state;
}

function asked(state: ViewerState, change: Change, seen: Task | undefined): ViewerState {
  return { ...state, request: { what: 'task', ...change, seen, undo: 'push' } };
}

/** Undoes the last change made here, unless the task has changed since. */
function undone(state: ViewerState): ViewerState {
  const version = state.taskUndo?.at(-1);
  if (version === undefined) return { ...state, message: NOTHING_TO_UNDO };
  const told = 'Undid your last change';
  return {
    ...state,
    request: { what: 'task', command: 'TaskUndo', json: { at: version }, told, undo: 'pop' },
  };
}

/** The result of a change: the version and task it made, or why it was refused. */
export type TasksChanged =
  | {
      readonly version: number | undefined;
      readonly created?: number | undefined;
      readonly remark: string;
    }
  | { readonly refused: string; readonly now: Task | undefined };

/** The viewer's state after a change of the tasks. */
export function afterTaskChange(
  state: ViewerState,
  { told, undo }: TaskRequest,
  result: TasksChanged,
): ViewerState {
  if ('refused' in result) {
    // The typed text is kept; Enter tries again on the current task.
    const { input } = state;
    const again = input && 'task' in input && input.task && { ...input, task: result.now };
    const isGone = again && result.now === undefined;
    return { ...state, input: isGone ? undefined : again || input, message: result.refused };
  }
  const versions = state.taskUndo ?? [];
  const made = result.version === undefined ? [] : [result.version];
  const taskUndo = undo === 'pop' ? versions.slice(0, -1) : [...versions, ...made];
  const after = { ...state, input: undefined, message: told + result.remark, taskUndo };
  return result.created === undefined ? after : withCursor(after, String(result.created));
}
