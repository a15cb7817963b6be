import { expect, onTestFinished, test, vi } from 'vitest';
import { DEFAULT_SETTINGS } from '../../../src/base/settings/settings.ts';
import {
  BashRouter,
  type BashRouterOptions,
  TaskStore,
  TodoProveHandler,
  TodoStore,
  TodoWriteHandler,
  taskCommands,
  todoStore,
  todoStoreOf,
  validateTodoList,
} from '../../../src/index.ts';
import { TODO_FIELDS } from '../../../src/todo/todo-fields.ts';
import { shellThat } from '../../guidance/agent-session.ts';
import { TestAgent } from '../../helpers/agents.ts';
import { eventually } from '../../helpers/eventually.ts';
import { temporaryDirectory } from '../../helpers/files.ts';
import { hasProc, processesWith } from '../../helpers/processes.ts';
import { startRouter as start } from '../../helpers/session.ts';
import { VirtualTerminal } from '../../helpers/virtual-terminal.ts';

// Features for hosts: a panel, agents with lists of their own, limited output, tools.

const list = (content: string, status = 'in_progress') =>
  `TodoWrite '${JSON.stringify({ todos: [{ content, activeForm: `${content}ing`, status }] })}'`;

const startRouter = (options?: BashRouterOptions) => start(options).router;

/** A router whose task commands have one list. */
function startTeam(tasks: TaskStore, settings = DEFAULT_SETTINGS) {
  const source = { open: () => tasks, settings: () => ({ settings, warnings: [] }) };
  return startRouter({ handlers: taskCommands(source), agent: 'lead' });
}

test('agents of a program have lists by their names; that of main is the shared one', async () => {
  expect(todoStoreOf('main')).toBe(todoStore);
  const router = startRouter({ agent: 'ann' });
  await router.route(list('Annotate'));
  await router.route(`echo $TODO_AGENT; ${list('Bash it')}`);
  expect(todoStoreOf('ann').get().items[0]?.content).toBe('Bash it');
  expect(router.store).toBe(todoStoreOf('ann'));
  expect(todoStoreOf('bob').get().items).toEqual([]);
  expect((await router.route('echo $TODO_AGENT')).stdout).toBe('ann\n');
  const nameless = startRouter({ env: { TODO_AGENT: 'of the host' } });
  expect((await nameless.route('echo $TODO_AGENT')).stdout).toBe('of the host\n');
});

test('a shell that knows nothing of callers is given no agent command, nor one that runs checks', async () => {
  const store = new TodoStore();
  const handlers = [new TodoWriteHandler(store), new TodoProveHandler(store)];
  const router = startRouter({ handlers, shell: shellThat({ stdout: 'given' }) });
  for (const name of ['TodoWrite', 'TodoProve']) {
    expect((await router.route(`${name} --help`)).stdout).toMatch(new RegExp(`^${name} - `));
  }
});

test('settings that the host changes later count, with and without the name of an agent, and in a child', () => {
  const env: Record<string, string> = { ...process.env, TODO_MAX_ITEMS: '50' };
  const routers = [new BashRouter({ env }), new BashRouter({ env, agent: 'ann' })];
  routers.push(...routers.map((router) => router.child({ agent: 'helper', env: { C: 'd' } })));
  for (const router of routers) onTestFinished(() => router.dispose());
  for (const most of ['50', '3']) {
    env.TODO_MAX_ITEMS = most;
    for (const { commands } of routers) {
      const { inputSchema } = commands.find(({ name }) => name === 'TodoWrite') ?? {};
      expect(JSON.stringify(inputSchema)).toContain(`"maxItems":${most}`);
    }
  }
});

test('a child has its own list, bash and environment, and inherits the rest', async () => {
  const agent = new TestAgent(({ env }) => ({ stdout: `${env?.TODO_AGENT}\n` }));
  const tmp = temporaryDirectory();
  const asked: (string | undefined)[] = [];
  const parent = startRouter({
    env: { ...process.env, TMPDIR: tmp, A: 'b' },
    approve: ({ agent: name }) => {
      asked.push(name);
      return 'allow';
    },
  });
  parent.register(agent);
  const folder = temporaryDirectory();
  await parent.route(`cd ${folder}; x=1; ${list('Of the parent')}`);
  const child = parent.child({ agent: 'helper', env: { C: 'd' } });
  expect((await child.route('echo $TODO_AGENT $A $C "[$x]"; pwd; TodoRead')).stdout).toBe(
    `helper b d []\n${folder}\nNo todos.\n`,
  );
  expect((await child.route('Agent')).stdout).toBe('helper\n');
  expect((await child.route('Agent | cat')).stdout).toBe('helper\n');
  await child.route(list('Of the child'));
  expect(child.store?.get().items[0]?.content).toBe('Of the child');
  expect(parent.store?.get().items[0]?.content).toBe('Of the parent');
  expect(asked).toEqual([undefined, 'helper', 'helper']);
  await parent.dispose();
  await expect(child.route('echo hi')).rejects.toThrow('disposed');
  expect(() => parent.child(undefined as never)).toThrow("child({ agent: 'tester' })");
  expect(() => parent.child({ agent: 'late' })).toThrow('disposed');
  if (hasProc) expect(processesWith(tmp)).toEqual([]);
});

test("a child's TodoProve proves its own list, also where the agent's name is unset", async () => {
  const item = { content: 'Build', activeForm: 'Building', status: 'in_progress', check: 'true' };
  const write = `TodoWrite '${JSON.stringify({ todos: [item] })}'`;
  const parent = startRouter({ agent: 'parent' });
  const child = parent.child({ agent: 'helper' });
  for (const router of [parent, child]) await router.route(write);
  for (const line of ['TodoProve 1', 'unset TODO_AGENT; TodoWrite --pending 1; TodoProve 1']) {
    expect((await child.route(line)).stderr).toBe('Note: running the check: true\n');
    expect(child.store?.get().items[0]).toMatchObject({ status: 'completed', proof: {} });
  }
  expect(parent.store?.get().items[0]?.status).toBe('in_progress');
});

test('a child signs with its own name, not with that of its parent or its process', async () => {
  vi.stubEnv('TODO_AGENT', 'helper');
  onTestFinished(() => void vi.unstubAllEnvs());
  const tasks = new TaskStore();
  const parent = startTeam(tasks, { ...DEFAULT_SETTINGS, agent: 'ann' });
  for (const line of ['TaskCreate --subject A', 'TaskCreate --subject B']) await parent.route(line);
  const child = parent.child({ agent: 'helper' });
  expect((await child.route('TaskClaim --next')).stdout).toBe('Task #1 claimed by helper: A\n');
  expect((await child.route('TaskClaim --next | cat')).stdout).toBe(
    'Task #2 claimed by helper: B\n',
  );
});

test('a disposed child releases the tasks that it has begun, in each list, and nothing else', async () => {
  const lists = { blue: new TaskStore(), red: new TaskStore() };
  const open = (list = 'blue') => lists[list as keyof typeof lists];
  const parent = startRouter({ handlers: taskCommands({ open }), agent: 'lead' });
  const subjects = ['Of the lead', 'Claimed', 'Begun', 'Assigned', 'Of the other'];
  for (const subject of subjects) await parent.route(`TaskCreate --subject '${subject}'`);
  await parent.route(
    'TaskCreate --subject Red --list red; TaskClaim 1; TaskUpdate 4 --owner helper',
  );
  const [child, other] = [parent.child({ agent: 'helper' }), parent.child({ agent: 'helper' })];
  await other.route('TaskClaim 5');
  await child.route('TaskClaim 2');
  await child.route('TaskUpdate 3 --status in_progress | cat; TaskClaim 1 --list red | cat');
  expect((await parent.route('TaskList')).stdout.match(/in_progress/g)).toHaveLength(4);
  await child.dispose();
  expect((await parent.route('TaskList; TaskList --list red')).stdout).toBe(
    '#1 [in_progress] Of the lead (lead)\n#2 [pending] Claimed\n#3 [pending] Begun\n' +
      '#4 [pending] Assigned (helper)\n#5 [in_progress] Of the other (helper)\n#1 [pending] Red\n',
  );
  expect((await parent.route('TaskGet 2 --history')).stdout).toMatch(
    /helper {2}released #2 Claimed/,
  );
  await parent.dispose();
  expect(lists.blue.get().graph.tasks.get(5)?.status).toBe('pending');
  expect(lists.blue.get().graph.tasks.get(1)?.status).toBe('in_progress');
});

test('a claim that is still on its way when its child is disposed is given back, too', async () => {
  const tasks = new TaskStore();
  const parent = startTeam(tasks);
  await parent.route('TaskCreate --subject A');
  const child = parent.child({ agent: 'helper' });
  const change = tasks.change.bind(tasks);
  const waiting: (() => void)[] = [];
  tasks.change = async (...planned) => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return change(...planned);
  };
  const claim = child.route('TaskClaim 1').catch(() => {});
  await eventually('the claim has begun', () => waiting.length > 0);
  tasks.change = change;
  await child.dispose();
  waiting[0]?.();
  await claim;
  await eventually('given back', () => tasks.get().version === 3);
  expect(tasks.get().graph.tasks.get(1)?.status).toBe('pending');
});

test('with TODO_RELEASE_AT_EXIT=0 a child keeps its tasks', async () => {
  const tasks = new TaskStore();
  const parent = startTeam(tasks, { ...DEFAULT_SETTINGS, releaseAtExit: false });
  await parent.route('TaskCreate --subject A');
  const child = parent.child({ agent: 'helper' });
  await child.route('TaskClaim 1');
  await child.dispose();
  expect(tasks.get().graph.tasks.get(1)?.status).toBe('in_progress');
});

test('children have children only as deep as the first router says', async () => {
  const router = startRouter({ agent: 'lead' });
  const child = router.child({ agent: 'helper' });
  expect(() => child.child({ agent: 'hand' })).toThrow(
    "No child 'hand': maxDepth is 1; the first router needs maxDepth: 2",
  );
  const deep = startRouter({ agent: 'lead', maxDepth: 2 });
  const hand = deep.child({ agent: 'helper' }).child({ agent: 'hand' });
  expect((await hand.route('echo $TODO_AGENT')).stdout).toBe('hand\n');
  expect(() => hand.child({ agent: 'finger' })).toThrow('maxDepth is 2');
  expect(() => startRouter({ maxDepth: 0 }).child({ agent: 'helper' })).toThrow('maxDepth is 0');
});

test('questions of a parent and its child come one at a time, and end with their router', async () => {
  const open: { agent: string | undefined; answer: () => void }[] = [];
  const parent = startRouter({
    agent: 'main',
    approve: ({ agent }) =>
      new Promise((resolve) => {
        open.push({ agent, answer: () => resolve('allow') });
      }),
  });
  const child = parent.child({ agent: 'helper' });
  const first = parent.route('echo one');
  const controller = new AbortController();
  const second = child.route('echo two', { signal: controller.signal });
  const third = child.route('echo three');
  await eventually('the first is asked', () => open.length > 0);
  expect(open.map(({ agent }) => agent)).toEqual(['main']);
  controller.abort();
  expect((await second).exitCode).toBe(130);
  expect(open.length).toBe(1);
  open[0]?.answer();
  expect((await first).stdout).toBe('one\n');
  while (open.length < 2) await new Promise((resolve) => setImmediate(resolve));
  open[1]?.answer();
  expect((await third).stdout).toBe('three\n');
});

test('a panel in one option shows the list, children beside it while they live, and leaves those of its end', async () => {
  vi.stubEnv('TERM', 'xterm');
  vi.stubEnv('LANG', 'C.UTF-8');
  onTestFinished(() => void vi.unstubAllEnvs());
  const terminal = new VirtualTerminal(40, 24);
  const router = startRouter({ agent: 'with panel', panel: terminal, maxDepth: 2 });
  await router.route(list('Analyze'));
  router.panel?.write('some output\n');
  const child = router.child({ agent: 'helper' });
  await child.route(list('Help'));
  const both =
    /^some output\n+┌─ Tasks ─.* 0\/1 ─┐\n│ ● Analyzeing\.\.\.[\s\S]*┌─ helper ─[\s\S]*● Helping/;
  const screen = async () => (await terminal.screen()).join('\n');
  await eventually('both are shown', async () => both.test(await screen()));
  await child.child({ agent: 'sub' }).route(list('Dig'));
  await eventually('its own child is shown', async () => /┌─ sub ─/.test(await screen()));
  await child.dispose();
  await eventually('both are gone', async () => !/helper|sub/.test(await screen()));
  await router.child({ agent: 'main@1111aaaa-2222-4333-8444-555566667777' }).route(list('Last'));
  await router.dispose();
  expect(await screen()).toMatch(/● Analyzeing\.\.\.[\s\S]*┌─ Claude 1111 ─[\s\S]*● Lasting/);
});

test('listeners of route get the output of both kinds of lines, of which both ends are kept', async () => {
  const agent = new TestAgent(() => ({ stdout: `${'a'.repeat(500)}z`, stderr: 'warned' }));
  const router = startRouter({ handlers: [agent] });
  const heard: string[] = [];
  const hear = (chunk: Buffer) => void heard.push(String(chunk));
  const options = { onStdout: hear, onStderr: hear, maxOutputBytes: 10 };
  const cut = 'aaaaa\n[agent-shell: 491 bytes left out]\naaaaz';
  for (const line of ['Agent', 'Agent | cat'])
    expect((await router.route(line, options)).stdout).toBe(cut);
  expect(heard.join('').length).toBe(2 * (501 + 6));
});

test('each agent command has a JSON Schema, for tool calls', async () => {
  const tasks = new TaskStore();
  const own = startRouter({ agent: 'tools' }).commands;
  const commands = [...own, ...taskCommands({ open: () => tasks })];
  const all = commands.map(({ name }) => name);
  const having = (what: 'isReadOnly' | 'isConcurrencySafe') =>
    commands.filter((command) => command[what]).map(({ name }) => name);
  expect(all).toEqual(expect.arrayContaining(['TodoWrite', 'TodoProve', 'TaskCreate', 'TaskUndo']));
  expect(having('isReadOnly')).toEqual(['TodoRead', 'TaskList', 'TaskGet']);
  // Both change the list that they have read.
  const notSafe = ['TodoWrite', 'TodoProve'];
  expect(having('isConcurrencySafe')).toEqual(all.filter((name) => !notSafe.includes(name)));
  const hasNoInput = ({ inputSchema }: (typeof commands)[number]) =>
    Object.keys(inputSchema?.properties ?? {}).length === 0;
  const description = expect.stringMatching(/^Takes no input; /);
  const without = commands.filter(hasNoInput).map(({ inputSchema }) => inputSchema);
  expect(without).toMatchObject([{ description }, { description }]);
  // Its schema is that of one task, which has nothing to refer to.
  const create = commands.find(({ name }) => name === 'TaskCreate');
  expect(create?.inputSchema?.properties).not.toHaveProperty('ref');
  // An example of each type.
  const values = { string: '30m', integer: 1, boolean: true, object: { a: 1 }, array: [1] };
  for (const command of commands.slice(2)) {
    const { name, inputSchema } = command;
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    const properties = inputSchema?.properties as Record<string, Record<string, unknown>>;
    const sample = (property: string) => {
      const { const: only, enum: some, type } = properties[property] ?? {};
      return only ?? (some as unknown[])?.[0] ?? values[type as keyof typeof values];
    };
    // TaskCreate takes one task or several, and TaskUpdate needs a field to change.
    const required = ['subject', ...((inputSchema?.required ?? []) as string[])];
    const needed = required.filter((key) => key in properties).map((key) => [key, sample(key)]);
    for (const property of Object.keys(properties)) {
      const input = { ...Object.fromEntries(needed), [property]: sample(property) };
      const argv = [JSON.stringify(input)];
      const { stderr } = await command.execute({ argv, stdin: async () => '' });
      expect({ name, property, stderr }).toMatchObject({
        stderr: expect.not.stringMatching(/Unrecognized|Expected (?!either)|Required|Invalid/),
      });
    }
  }
});

test('the schema of a command follows the settings, also that of a router with guidance', () => {
  let settings = DEFAULT_SETTINGS;
  const writer = new TodoWriteHandler(new TodoStore(), () => ({ settings, warnings: [] }));
  const router = startRouter({ handlers: [writer] });
  const [command] = router.commands;
  const limit = (maxItems: number) => ({ properties: { todos: { maxItems } } });
  expect(command?.inputSchema).toMatchObject(limit(50));
  settings = { ...settings, maxItems: 3 };
  expect(command?.inputSchema).toMatchObject(limit(3));
});

test('the schema of TodoWrite allows what the list allows', () => {
  const { maxItems, maxContentLength: maxLength } = DEFAULT_SETTINGS;
  const schema = startRouter({ agent: 'schema' }).commands[0]?.inputSchema as {
    properties: { todos: { items: { properties: object; required: string[] } } };
  };
  expect(schema).toMatchObject({
    required: ['todos'],
    properties: {
      todos: { maxItems, items: { properties: { content: { type: 'string', maxLength } } } },
    },
  });
  const { properties, required } = schema.properties.todos.items;
  const whole = { content: 'a', activeForm: 'b', status: 'pending', id: 'c', priority: 'low' };
  const item: Record<string, string> = { ...whole, check: 'true' };
  expect(Object.keys(properties)).toEqual(Object.keys(TODO_FIELDS));
  for (const key of [undefined, ...Object.keys(item)]) {
    const { [key ?? '']: _, ...rest } = item;
    const isValid = 'items' in validateTodoList({ todos: [rest] }, DEFAULT_SETTINGS);
    expect([key, isValid]).toEqual([key, !required.includes(key ?? '')]);
  }
});
