import { expect, test } from 'vitest';
import { DEFAULT_SETTINGS, settingsOfCalls } from '../../src/base/settings/settings.ts';
import { TodoReadHandler } from '../../src/todo/todo-read.ts';
import type { TodoSource } from '../../src/todo/todo-source.ts';
import { TodoStore } from '../../src/todo/todo-store.ts';
import { TodoWriteHandler } from '../../src/todo/todo-write.ts';

// The list of a call whose caller has its own environment.

const LIST = '{"todos":[{"content":"A","activeForm":"Doing A","status":"pending"}]}';
const stdin = async () => '';

function host(source: TodoSource, environment: Record<string, string> = {}) {
  const settings = settingsOfCalls(environment, () => '/nonexistent');
  const write = new TodoWriteHandler(source, settings);
  const read = new TodoReadHandler(source, settings);
  return {
    write: (env?: Record<string, string>, ...argv: string[]) =>
      write.execute({ argv: [LIST, ...argv], stdin, ...(env && { env }) }),
    run: (...argv: string[]) => write.execute({ argv, stdin }),
    read: (env?: Record<string, string>, ...argv: string[]) =>
      read.execute({ argv, ...(env && { env }) }),
  };
}

test('the list that the caller names is opened, by its options, and by its own variables or none of them', async () => {
  const opened: string[] = [];
  const { write, read } = host(
    (name, { session, agent }) => {
      opened.push(`${name.session} ${name.agent} ${session} ${agent}`);
      return new TodoStore();
    },
    { TODO_AGENT: 'host', TODO_SESSION: 's' },
  );
  await write({ TODO_AGENT: 'bob' });
  await read({ TODO_SESSION: 't' });
  await write();
  await write({}, '--agent', 'ann');
  await read({}, '--json', '--session=u', '--agent=x');
  const none = 'undefined';
  expect(opened).toEqual([
    ...[`${none} ${none} ${none} bob`, `${none} ${none} t ${none}`, `${none} ${none} s host`],
    ...[`${none} ann ${none} ${none}`, `u x ${none} ${none}`],
  ]);
});

test.each<Record<string, string>>([{ TODO_AGENT: 'bob' }, { TODO_SESSION: 't' }])(
  'a host with one list of its own does not write it for a caller that means another: %j',
  async (env) => {
    const store = new TodoStore();
    const { write, read } = host(store, { TODO_AGENT: 'ann' });
    const [variable] = Object.keys(env);
    for (const result of [await write(env), await read(env)]) {
      expect(result).toMatchObject({ stdout: '', exitCode: 2 });
      expect(result.stderr).toContain(
        `Error: this shell keeps one list, in memory, and ${variable} names another; unset it`,
      );
    }
    expect(store.get().version).toBe(0);
    // The advice works, and so does the host's own name.
    expect((await write({})).exitCode).toBe(0);
    expect((await write({ TODO_AGENT: 'ann' })).exitCode).toBe(0);
    expect((await read()).stdout).toContain('[ ] A');
  },
);

test('a host whose settings are its own decides alone whose list it is', async () => {
  const settings = () => ({ settings: DEFAULT_SETTINGS, warnings: [] });
  const handler = new TodoWriteHandler(new TodoStore(), settings);
  const env = { TODO_AGENT: 'bob' };
  expect((await handler.execute({ argv: [LIST], stdin, env })).exitCode).toBe(0);
});

test('advice for a list that options name is told to repeat them, or its calls would change another list', async () => {
  const lists = new Map<string, TodoStore>();
  const open = ({ session = '', agent = '' }) => {
    const name = `${session}/${agent}`;
    const store = lists.get(name) ?? new TodoStore();
    lists.set(name, store);
    return store;
  };
  const { write, run } = host(open);
  expect((await write({}, '--agent', 'ann')).stderr).toBe('');
  const error =
    "Error: Cannot update the list\n- there is no item '2'; the list has 1 item, see TodoRead\n";
  expect((await run('--done', '2', '--agent', 'ann')).stderr).toBe(
    `${error}Note: repeat --agent ann in these calls\n`,
  );
  await write({}, '--session', 'two words');
  expect((await run('--done=2', '--session=two words')).stderr).toBe(
    `${error}Note: repeat --session 'two words' in these calls\n`,
  );
  expect((await run('--complete', '2', '--agent=ann')).stderr).toBe(
    'Error: Unknown option --complete. Try: TodoWrite --done 2\nNote: repeat --agent ann in these calls\n',
  );
  await write();
  expect((await run('--done', '2')).stderr).toBe(error);
});
