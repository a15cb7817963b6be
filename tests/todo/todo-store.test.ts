import { expect, test, vi } from 'vitest';
import type { TodoItem } from '../../src/todo/todo-fields.ts';
import { TodoStore } from '../../src/todo/todo-store.ts';
import { TodoWriteHandler } from '../../src/todo/todo-write.ts';
import { failed } from '../helpers/replies.ts';
import { todo } from './call.ts';

test('JSON in place of the items, or a text in place of a call, gets an error with the expected form', async () => {
  const store = new TodoStore();
  const json = '{"todos":[]}';
  expect(() => store.update(json as never)).toThrow(
    'update takes the items, [{ content, activeForm, status }]',
  );
  expect(await new TodoWriteHandler(store).execute(json as never)).toEqual(
    failed(expect.stringContaining('execute({ argv: [json], stdin: ')),
  );
  expect(store.get().version).toBe(0);
});

test('nothing that a caller does to its array, or to a snapshot, changes the store', () => {
  const store = new TodoStore();
  const items = [todo('Build')];
  store.update(items);
  items.push(todo('Test'));
  (items[0] as TodoItem).content = 'Broken';
  expect(store.get().items).toEqual([todo('Build')]);
  const seen = store.get().items as TodoItem[];
  expect(() => seen.push(todo('Test'))).toThrow(TypeError);
  expect(() => {
    (seen[0] as TodoItem).status = 'completed';
  }).toThrow(TypeError);
  const proof = {
    command: 'npm test',
    exitCode: 0,
    at: '2026-01-31T12:00:00.000Z',
    by: 'main',
  } as const;
  store.update([Object.freeze({ ...todo('Build'), proof })]);
  Object.assign(proof, { by: 'nobody' });
  expect(store.get().items[0]?.proof?.by).toBe('main');
});

test('after a change that a listener makes, the others get only the newer state', () => {
  const store = new TodoStore();
  const told: number[][] = [[], []];
  store.onChange(({ version }) => {
    told[0]?.push(version);
    if (version === 1) store.update([todo('Ship')]);
  });
  store.onChange(({ version }) => told[1]?.push(version));
  expect(store.update([todo('Build')]).version).toBe(1);
  expect(told).toEqual([[1, 2], [2]]);
  expect(store.get().items).toEqual([todo('Ship')]);
});

test('the returned function unsubscribes that one listener, also while it runs, and may be called twice', () => {
  const store = new TodoStore();
  const listener = vi.fn();
  const stop = store.onChange(() => {
    listener();
    stop();
    stop();
  });
  store.onChange(listener);
  store.update([]);
  store.update([]);
  expect(listener).toHaveBeenCalledTimes(3);
});

test.each(['throws', 'rejects'])(
  'a listener that %s is reported, and hinders nobody',
  async (how) => {
    const store = new TodoStore();
    const failure = new Error('broken listener');
    const heard = vi.fn();
    const warned = new Promise((resolve) => process.once('warning', resolve));
    store.onChange(() => (how === 'throws' ? raise(failure) : Promise.reject(failure)));
    store.onChange(heard);
    store.update([todo('Build')]);
    expect(heard).toHaveBeenCalledTimes(1);
    expect(store.get().items).toEqual([todo('Build')]);
    expect(await warned).toBe(failure);
  },
);

function raise(failure: Error): never {
  throw failure;
}
