import {
  type AgentBashHandler,
  type Approve,
  allowList,
  BashSession,
  FilePlace,
  type TaskGraph,
  TaskPanel,
  TaskStore,
  type TodoItem,
  type TodoState,
  TodoStore,
} from '../src/index.ts';

/** Checked by `npm run typecheck`, never run: what must not compile. */
export function mustNotCompile(store: TodoStore, state: TodoState, item: TodoItem): void {
  // @ts-expect-error: no such status
  store.update([{ ...item, status: 'done' }]);
  // @ts-expect-error: an unknown key
  store.update([{ content: 'a', activeForm: 'b', status: 'pending', when: 'today' }]);
  // @ts-expect-error: activeForm is required
  store.update([{ content: 'a', status: 'pending' }]);
  // @ts-expect-error: a snapshot is not written to
  state.items.push(item);
  // @ts-expect-error: nor are its items
  if (state.items[0]) state.items[0].status = 'completed';
  const result = { stdout: '', stderr: '', exitCode: 0 };
  // @ts-expect-error: a handler needs a name
  const unnamed: AgentBashHandler = { execute: async () => result };
  // @ts-expect-error: a handler answers later
  const hasty: AgentBashHandler = { name: 'A', execute: () => result };
  // @ts-expect-error: the session does not reach for its environment
  new BashSession({ cwd: '/' });
  // @ts-expect-error: nor does the panel
  new TaskPanel({ store, stream: process.stdout });
  // @ts-expect-error: a list of tasks is kept as a log, and openTaskStore opens it: JSON holds no Map
  new TaskStore(new FilePlace({ folder: '/tasks' }));
  // @ts-expect-error: nor with the type spelled out
  new TaskStore(new FilePlace<TaskGraph>({ folder: '/tasks' }));
  // @ts-expect-error: no such answer
  const unclear: Approve = () => 'yes';
  // @ts-expect-error: nor an object of that kind
  const without: Approve = async () => ({ reason: 'no' });
  const compiles: TodoStore = new TodoStore(undefined, new FilePlace({ folder: '/list' }));
  const answers: Approve[] = [() => 'deny', async () => 'deny', allowList([], async () => 'allow')];
  void [unnamed, hasty, unclear, without, compiles, answers];
}
