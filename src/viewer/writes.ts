import { EXIT_CODES } from '../base/command/agent-command.ts';
import { exitCodeOf } from '../base/command/replies.ts';
import { StateError } from '../base/command/state-error.ts';
import { idsText } from '../base/command/status.ts';
import { limitCommand } from '../base/command/time-limit.ts';
import { nameText, safeText } from '../base/safe-text.ts';
import type { SettingsSource } from '../base/settings/settings.ts';
import type { ListHome } from '../lists/list-home.ts';
import { USER } from '../lists/place.ts';
import { unblockedIn } from '../tasks/dependencies.ts';
import { because } from '../tasks/reasons.ts';
import type { Task } from '../tasks/task.ts';
import { taskCommands } from '../tasks/task-commands.ts';
import { isSameTask } from '../tasks/task-history.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import type { Items } from '../todo/todo-fields.ts';
import type { TodoList } from '../todo/todo-store.ts';
import { TodoWriteHandler } from '../todo/todo-write.ts';
import type { OwnChange, TaskRequest, ViewerState, WriteRequest } from './model.ts';
import { shownList, withCursor } from './shown.ts';

export type ChangeOutcome =
  | {
      readonly version: number | undefined;
      readonly created?: number | undefined;
      readonly remark?: string;
    }
  | {
      readonly refused: string;
      /** The list or task has changed since the person saw it. */
      readonly isOlder: boolean;
      /** The current task. */
      readonly now?: Task | undefined;
    };

/** Writes a list as `user` if it is still as the person saw it: under the rules for agents, or as an older version was. */
export async function writeList(
  list: TodoList,
  settings: SettingsSource,
  { version, items, isRestored = false }: WriteRequest,
): Promise<ChangeOutcome> {
  const { exitCode, stderr } = await (isRestored
    ? restoreList(list, settings, version, items)
    : new TodoWriteHandler(list, settings).execute({
        argv: ['--if-version', String(version), JSON.stringify({ todos: items })],
        stdin: async () => '',
      }));
  // A list that is emptied when everything is completed has a further version by the person.
  if (exitCode === 0) return { version: list.seen.by === USER ? list.seen.version : version + 1 };
  const now = await current(exitCode, () => list.read());
  const isOlder = now !== undefined && now.version !== version;
  const by = nameText(now?.by || 'someone');
  return { refused: isOlder ? `${by} changed the list meanwhile` : reasonsOf(stderr), isOlder };
}

/** JSON would lose the proofs. */
async function restoreList(
  list: TodoList,
  settings: SettingsSource,
  version: number,
  items: Items,
): Promise<{ exitCode: number; stderr: string }> {
  try {
    const write = () => list.updateIf(version, items);
    const written = await limitCommand(settings().settings, write);
    return { exitCode: written ? EXIT_CODES.done : EXIT_CODES.refused, stderr: '' };
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    return { exitCode: exitCodeOf(error), stderr: `Error: ${error.message}` };
  }
}

/** A server that did not answer the command is not asked again: the person waits. */
async function current<Value>(exitCode: number, read: () => Promise<Value> | Value) {
  try {
    return exitCode === EXIT_CODES.storageTrouble ? undefined : await read();
  } catch {
    return undefined;
  }
}

/** Changes tasks by the command that an agent would use, if the task is still as the person saw it. */
export async function writeTask(
  store: TaskStore,
  home: Pick<ListHome, 'around'>,
  settings: SettingsSource,
  { command: name, json, seen, force = false }: TaskRequest,
): Promise<ChangeOutcome> {
  let isOlder = false;
  const asSeen = store.objectedBy(({ tasks }) => {
    isOlder = seen !== undefined && !isSameTask(seen, tasks.get(seen.id));
    return isOlder && seen
      ? because('built_upon', [seen.id], 'in the meantime; nothing was changed')
      : undefined;
  });
  const commands = taskCommands({ open: () => asSeen, settings, around: home.around });
  const command = commands.find((one) => one.name === name);
  const { stderr, exitCode } = (await command?.execute({
    argv: [...(force ? ['--force'] : []), JSON.stringify(json)],
    stdin: async () => '',
    env: { TODO_AGENT: USER },
  })) ?? { stderr: `there is no ${name}`, exitCode: 1 };
  if (exitCode !== 0) {
    const read = await current(exitCode, () => store.read());
    const now = seen && read ? read.graph.tasks.get(seen.id) : seen;
    const refused = isOlder ? `#${seen?.id} was changed meanwhile` : reasonsOf(stderr);
    return { refused, isOlder, now };
  }
  const { version, before, after } = asSeen.lastChange ?? {};
  const created = [...(after?.tasks.keys() ?? [])].find((id) => !before?.tasks.has(id));
  const unblocked = before && after ? unblockedIn(before, after) : [];
  return {
    version,
    created,
    remark: unblocked.length > 0 ? `; unblocked ${idsText(unblocked)}` : '',
  };
}

/** The reasons in an error for a model, without places in its JSON and advice: `Must be at most 200 characters`. */
function reasonsOf(stderr: string): string {
  const lines = stderr.split('\n');
  const REASON = /^- [a-z_]+(?:\[\d+\])?(?:\.\w+)?: (.*)/;
  const reasons = lines.flatMap((line) => REASON.exec(line)?.[1] ?? []);
  const title = lines.find((line) => line.startsWith('Error: '))?.slice('Error: '.length) ?? stderr;
  return safeText(`Not saved: ${[...new Set(reasons)].join('; ') || title}`);
}

/** The viewer's state after a change. A refusal keeps the typed text; Enter tries again on the current state. */
export function afterChange(
  state: ViewerState,
  request: WriteRequest | TaskRequest,
  result: ChangeOutcome,
): ViewerState {
  if ('refused' in result) {
    const { refused, isOlder, now } = result;
    const input = onTop(state, now);
    const kept = isOlder && input ? '; your text is kept; Enter writes it' : '; your text is kept';
    const rest = input ? kept : isOlder ? '; nothing was written' : '';
    return { ...state, input, message: refused + rest };
  }
  const { version = 0, created, remark = '' } = result;
  const undo = changesAfter(state, request, version);
  const after = { ...state, input: undefined, message: doneText(request) + remark, undo };
  if (request.what === 'write') return withCursor(after, request.cursor);
  return created === undefined ? after : withCursor(after, String(created));
}

/** Applies the typed change to the current list; undefined if its item is gone. */
function onTop(state: ViewerState, now: Task | undefined): ViewerState['input'] {
  const { input } = state;
  if (input === undefined || input.kind === 'question') return undefined;
  if ('version' in input) return { ...input, version: shownList(state)?.versions[0].version ?? 0 };
  return 'task' in input && input.task ? now && { ...input, task: now } : input;
}

function changesAfter(
  { undo = [] }: ViewerState,
  request: WriteRequest | TaskRequest,
  made: number,
): readonly OwnChange[] {
  if (request.undo === 'push') return made > 0 ? [...undo, { ...request, made }] : undo;
  const listOf = (change: WriteRequest | TaskRequest) => 'agent' in change && change.agent;
  const last = undo.findLast((change) => listOf(change) === listOf(request));
  return undo.filter((change) => change !== last);
}

function doneText({ told, undo }: WriteRequest | TaskRequest): string {
  return undo === 'push' && /^(?:Dropped|Deleted|Restored)/.test(told)
    ? `${told}; u undoes that`
    : told;
}
