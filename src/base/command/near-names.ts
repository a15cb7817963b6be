import { nearest, plainly } from './options.ts';

export const DONE = 'TodoWrite --done N';
export const PENDING = 'TodoWrite --pending N';
export const DROP = 'TodoWrite --drop N';
const COMPLETED = 'TaskUpdate ID --status completed';
const DELETED = 'TaskUpdate ID --status deleted';

/** Names that models invent for the agent commands; each with an example call if the right name alone does not help. */
const OTHER_WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  TodoWrite: {
    ...{ TodoUpdate: '', TodoCreate: '', TodoSet: '', WriteTodos: '', UpdateTodos: '' },
    TodoAdd: 'TodoWrite --add "..." --active-form "..."',
    TodoStart: 'TodoWrite --start N',
    ...{ TodoDone: DONE, TodoComplete: DONE, TodoFinish: DONE },
    ...{ TodoPending: PENDING, TodoReopen: PENDING, TodoBlock: PENDING, TodoStop: PENDING },
    ...{ TodoDrop: DROP, TodoRemove: DROP, TodoDelete: DROP },
    TodoClear: `TodoWrite '{"todos":[]}'`,
    TodoUndo: 'TodoWrite --undo',
  },
  TodoRead: { TodoList: '', TodoGet: '', TodoShow: '', ReadTodos: '', ListTodos: '' },
  TodoProve: { TodoVerify: '', TodoCheck: '', TodoTest: '' },
  TaskProve: { TaskVerify: '', TaskCheck: '', TaskTest: '' },
  TaskUpdate: {
    ...{ TaskEdit: '', UpdateTask: '' },
    ...{ TaskDone: COMPLETED, TaskComplete: COMPLETED, TaskFinish: COMPLETED },
    TaskReopen: 'TaskUpdate ID --status pending',
    TaskBlock: 'TaskUpdate ID --add-blocked-by OTHER',
    ...{ TaskDelete: DELETED, TaskRemove: DELETED },
  },
  TaskCreate: { TaskAdd: '', TaskNew: '', TaskWrite: '', CreateTask: '' },
  TaskList: { Tasks: '', TasksList: '', ListTasks: '', TaskLs: '' },
  TaskGet: { TaskRead: '', TaskShow: '', TaskView: '', GetTask: '' },
  TaskClaim: { TaskTake: '', TaskStart: '', TaskNext: 'TaskClaim --next', ClaimTask: '' },
  TaskRelease: { TaskDrop: '', TaskStop: '', TaskUnassign: '', TaskUnclaim: '' },
};

/** The agent command that an unknown name most likely means. Returns undefined if none is close. */
export function nearName(name: string, commands: readonly string[]): string | undefined {
  const plain = plainly(name);
  const same = commands.find((command) => plainly(command) === plain);
  if (same !== undefined) return same === name ? undefined : same;
  const meant = Object.entries(OTHER_WORDS).find(
    ([, words]) => callOf(plain, words) !== undefined,
  )?.[0];
  if (meant !== undefined) return commands.includes(meant) ? meant : undefined;
  // A typing error, but not another program such as `todo` or `task`.
  return /^(?:todo|task)./.test(plain) && plain.length > 6 ? nearest(name, commands, 1) : undefined;
}

/** Printed in place of, or after, bash's `command not found`; undefined if no command's name is close. */
export function nearNameText(name: string, commands: readonly string[]): string | undefined {
  const meant = nearName(name, commands);
  const call = callOf(plainly(name), OTHER_WORDS[meant ?? ''] ?? {});
  const example = call ? ` Try: ${call}` : '';
  return meant && `${name}: command not found; did you mean ${meant}?${example}\n`;
}

function callOf(plain: string, words: Readonly<Record<string, string>>): string | undefined {
  return Object.entries(words).find(([word]) => plainly(word) === plain)?.[1];
}
