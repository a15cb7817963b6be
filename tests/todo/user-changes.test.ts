import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { USER } from '../../src/lists/place.ts';
import type { TodoItem } from '../../src/todo/todo-fields.ts';
import { openTodoStore, type TodoStore } from '../../src/todo/todo-store.ts';
import { takeUserChanges } from '../../src/todo/user-changes.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { runs } from '../helpers/random.ts';
import { ok } from '../helpers/replies.ts';
import { todos, todosIn } from '../screen/panel/todos.ts';
import { commandsOn } from './call.ts';

/** An agent's list in files, and the same list as the person opens it. */
function shared(...lines: string[]) {
  const folder = `${temporaryDirectory()}/s/main`;
  const agent = openTodoStore({ folder, author: 'main' });
  const user = openTodoStore({ folder, author: USER });
  if (lines.length > 0) agent.update(todos(...lines));
  return { folder, agent, user };
}

const write = (store: TodoStore, items: readonly TodoItem[], ...argv: string[]) =>
  commandsOn(store).write(...argv, JSON.stringify({ todos: items }));
const read = (store: TodoStore, ...argv: string[]) => commandsOn(store).read(...argv);

describe('what a person changed', () => {
  test.each([
    ['- a | > b', '> a | - b', ['the user began "a"', 'the user put back "b"']],
    ['- a | - b | - c', '- c | - a | - b', ['the user changed the order']],
    ['', '- a', ['the user added "a"']],
  ])('from %j to %j is %j', async (before, after, notes) => {
    const { agent, user } = shared(...before.split(' | ').filter(Boolean));
    user.update(todosIn(after));
    expect(await takeUserChanges(agent)).toEqual(notes);
  });

  test('and took back is nothing', async () => {
    const { agent, user } = shared('- a');
    user.update(todos('- a', '- b'));
    user.update(todos('- a'));
    expect(await takeUserChanges(agent)).toEqual([]);
    expect(agent.get().version).toBe(3);
  });

  test('is reported once, by whichever process, and the list stays as it is', async () => {
    const { folder, agent, user } = shared('- a');
    user.update(todos('- a', '- b'));
    const another = () => openTodoStore({ folder, author: 'main' });
    expect(await takeUserChanges(another())).toHaveLength(1);
    expect(await takeUserChanges(another())).toEqual([]);
    expect(agent.get().items).toEqual(todos('- a', '- b'));
  });

  test('is reported in a few lines of plain text', async () => {
    const { agent, user } = shared('- a');
    user.update(
      todos(...Array.from({ length: 20 }, (_, index) => `- \x1b[31m${index}${'x'.repeat(150)}`)),
    );
    const notes = await takeUserChanges(agent);
    expect(notes).toHaveLength(9);
    expect(notes.at(-1)).toBe('the user changed 13 more');
    expect(notes.join('')).not.toMatch(/\x1b/);
  });

  test('is reported without the changes of other agents', async () => {
    const { folder, agent, user } = shared('- a');
    user.update(todos('- a', '- b'));
    const lead = openTodoStore({ folder, author: 'lead' });
    lead.update(todos('- a', '- b', '- c'));
    user.update(todos('x a', '- b', '- c'));
    lead.update(todos('x a', '- b'));
    expect(await takeUserChanges(agent)).toEqual(['the user added "b"', 'the user completed "a"']);
  });
});

test('TodoRead notes on stderr what a person changed, once; the version of --json is the one to write upon', async () => {
  const { agent, user } = shared('- a');
  user.update(todos('- a', '- b'));
  const { stdout, stderr } = await read(agent, '--json');
  expect(stderr).toBe('Note: the user added "b"\n');
  expect((await read(agent)).stderr).toBe('');
  expect((await read(agent, '--history')).stdout).toMatch(/main {2}read the user's changes\n2 /);
  const version = String(JSON.parse(stdout).version);
  expect(await write(agent, todos('x a'), '--if-version', version)).toMatchObject({ exitCode: 0 });
});

describe('TodoWrite', () => {
  test('that keeps what a person added is done, and notes it', async () => {
    const { agent, user } = shared('> a');
    user.update(todos('> a', '- b'));
    expect(await write(agent, todos('x a', '> b'))).toEqual(
      ok(
        'Todo list updated: 1 completed, 1 in_progress, 0 pending\n',
        'Note: the user added "b"\n',
      ),
    );
  });

  test.each([
    ['added', ['> a'], ['> a', '- b'], ['x a'], 'added "b"'],
    ['dropped', ['> a', '- b'], ['> a'], ['x a', '> b'], 'dropped "b"'],
    ['completed', ['> a', '- b'], ['x a', '- b'], ['> a', '- b'], 'completed "a"'],
    ['changed', ['> a', '- b'], ['> a', '- B2'], ['x a', '> b'], 'changed "b" to "B2"'],
    ['began', ['- a'], ['> a'], ['- a', '- c'], 'began "a"'],
  ])('that would undo what was %s is refused once', async (_what, before, after, next, told) => {
    const { agent, user } = shared(...before);
    user.update(todos(...after));
    const refused = await write(agent, todos(...next));
    expect(refused).toMatchObject({ stdout: '', exitCode: 1 });
    expect(refused.stderr).toContain(
      `Error: This would undo what the user changed; nothing was changed\nNote: the user ${told}\n`,
    );
    expect(refused.stderr).toContain('The list now is, at version 3:\n[');
    expect(agent.get().items).toEqual(todos(...after));
    expect(await write(agent, todos(...next))).toMatchObject({ exitCode: 0, stderr: '' });
    expect(agent.get().items).toEqual(todos(...next));
  });

  test("--undo does not undo a person's change that the agent has not seen", async () => {
    const { agent, user } = shared('> a');
    user.update(todos('> a', '- b'));
    const undo = () => commandsOn(agent).write('--undo');
    expect((await undo()).stderr).toContain('Note: the user added "b"');
    expect(await undo()).toMatchObject({ exitCode: 0 });
    expect(agent.get().items).toEqual(todos('> a'));
  });

  test('the first list of an agent does not take the place of one that a person has begun', async () => {
    const { agent, user } = shared();
    user.update(todos('- wish'));
    expect((await write(agent, todos('> a'))).stderr).toContain('Note: the user added "wish"');
    expect(agent.get().items).toEqual(todos('- wish'));
  });

  test("no change of a person is lost to agents' writes, in any order", async () => {
    const step = fc.tuple(fc.constantFrom('user', 'agent'), fc.integer({ min: 0, max: 9 }));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
        const { agent, user } = shared('- start');
        const known = new Set(['start']);
        const wishes = new Set<string>();
        const now = () => agent.get().items.map(({ content }) => content);
        for (const [who, number] of steps) {
          if (who === 'agent') {
            known.add(`step ${number}`);
            const items = todos(...[...known].map((name) => `- ${name}`));
            const { exitCode, stderr } = await write(agent, items);
            // A model that is told includes the change.
            const told = exitCode === 0 ? [] : stderr.matchAll(/the user added "(.*)"/g);
            for (const [, name = ''] of told) known.add(name);
          } else if (!now().includes(`wish ${number}`)) {
            wishes.add(`wish ${number}`);
            user.update([...user.get().items, ...todos(`- wish ${number}`)]);
          }
          expect(now()).toEqual(expect.arrayContaining([...wishes]));
        }
      }),
      { numRuns: runs(30) },
    );
  });
});
