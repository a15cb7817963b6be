import { expect, test } from 'vitest';
import { FilePlace } from '../../src/lists/file-place.ts';
import { type FileSystem, nodeFileSystem } from '../../src/lists/file-system.ts';
import { ENTRIES_KEPT, type LogEntry, LogPlace } from '../../src/lists/log-place.ts';
import { MemoryPlace } from '../../src/lists/place.ts';
import { claimTask } from '../../src/tasks/claims.ts';
import { TASK_STEPS, type TaskStep } from '../../src/tasks/stored-tasks.ts';
import { NO_TASKS, type TaskGraph } from '../../src/tasks/task.ts';
import { taskCommands } from '../../src/tasks/task-commands.ts';
import { createTasks } from '../../src/tasks/task-create.ts';
import { TaskStore } from '../../src/tasks/task-store.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { AT, done } from './tasks.ts';

/** The bytes written and read by a list of so many tasks in files. */
async function listOf(size: number) {
  const moved = { written: 0, read: 0, files: 0 };
  const fs: FileSystem = {
    ...nodeFileSystem,
    write: (descriptor, bytes) => {
      moved.written += bytes.length;
      nodeFileSystem.write(descriptor, bytes);
    },
    read: (path) => {
      const bytes = nodeFileSystem.read(path);
      moved.read += bytes.length;
      moved.files++;
      return bytes;
    },
  };
  const folder = `${temporaryDirectory()}/team`;
  const open = () => {
    const entries = new FilePlace<LogEntry<TaskStep>>({ folder, history: ENTRIES_KEPT, fs });
    return new TaskStore(new LogPlace(entries, TASK_STEPS));
  };
  const store = open();
  const requests = Array.from({ length: size }, () => ({ subject: 'Do what is to be done' }));
  await store.change((graph) => createTasks(graph, requests, AT));
  return { store, moved, open };
}

/** Too large for each version to be stored whole. */
const LARGE = { ...TASK_STEPS, size: () => 10 ** 6 };

const claimNext = (store: TaskStore) =>
  store.change((graph, at) => claimTask(graph, 'next', { agent: 'a', checkBusy: false }, at));

test('a claim writes as much however many tasks there are, and a command reads as much as the list is long', async () => {
  const bytes = async (size: number) => {
    const { store, moved, open } = await listOf(size);
    moved.read = 0;
    for (let count = 0; count < 3; count++) await claimNext(store);
    // A process that lives on reads only the new versions.
    expect(moved.read).toBeLessThan(20_000);
    await claimNext(open());
    Object.assign(moved, { written: 0, read: 0, files: 0 });
    await claimNext(open());
    return moved;
  };
  const [small, large, larger] = [await bytes(20), await bytes(2000), await bytes(20_000)];
  expect(large.read).toBeLessThan(110 * small.read);
  expect(larger.read).toBeLessThan(11 * large.read);
  expect(larger.files).toBeLessThanOrEqual(5);
  expect(larger.written).toBeLessThan(1.1 * large.written);
});

test('of a small list each version is stored whole, of a larger one one in a few: a command reads few files', async () => {
  const most = async (size: number) => {
    const { store, moved, open } = await listOf(size);
    let files = 0;
    for (let count = 0; count < 30; count++) {
      await claimNext(store);
      moved.files = 0;
      expect(open().get()).toEqual(store.get());
      files = Math.max(files, moved.files);
    }
    return files;
  };
  expect(await most(40)).toBe(1);
  expect(await most(200)).toBe(5);
});

test('the last change is undone by reading the list once', async () => {
  const { store, moved, open } = await listOf(2000);
  for (let count = 0; count < 60; count++) await claimNext(store);
  moved.read = 0;
  open().get();
  const once = moved.read;
  moved.read = 0;
  const again = open();
  const undo = taskCommands({ open: () => again }).find(({ name }) => name === 'TaskUndo');
  const call = { argv: [], stdin: async () => '' };
  expect(await undo?.execute(call)).toMatchObject({ exitCode: 0 });
  expect(moved.read).toBeLessThan(1.5 * once + 20_000);
  expect(again.get().graph.tasks.get(60)?.status).toBe('pending');
});

test('however a list grows, there is a whole among its last 50 versions', async () => {
  const entries = new MemoryPlace<LogEntry<TaskStep>>({ history: 1000 });
  const place = new LogPlace(entries, TASK_STEPS);
  let graph: TaskGraph = NO_TASKS;
  let since = 0;
  for (let version = 0; version < 300; version++) {
    const added = Array.from({ length: 1 + (version % 13) }, () => ({ subject: 'Task' }));
    graph = done(createTasks(graph, added, AT)).graph;
    await place.commit(version, graph, new Date());
    const [newest] = entries.history();
    since = newest?.content.isWhole ? 0 : since + 1;
    expect(since).toBeLessThan(50);
  }
});

test('versions committed in between are read, and the history includes them', async () => {
  const entries = new MemoryPlace<LogEntry<TaskStep>>({ history: 200 });
  const one = new LogPlace(entries, TASK_STEPS);
  const other = new LogPlace(entries, TASK_STEPS);
  let graph: TaskGraph = NO_TASKS;
  for (let version = 0; version < 120; version++) {
    const place = version % 3 === 0 ? one : other;
    expect((await place.load())?.content ?? NO_TASKS).toEqual(graph);
    graph = done(createTasks(graph, [{ subject: `Task ${version}` }], AT)).graph;
    expect((await place.commit(version, graph, new Date()))?.version).toBe(version + 1);
    expect(await place.commit(version, graph, new Date())).toBeUndefined();
  }
  const history = [...(await new LogPlace(entries, TASK_STEPS).history())];
  expect(history).toHaveLength(120);
  expect(history.map(({ content }) => content.tasks.size)).toEqual(
    Array.from({ length: 120 }, (_, index) => 120 - index),
  );
});

test('a log whose beginning is missing is an error, not another list', () => {
  const entries = new MemoryPlace<LogEntry<TaskStep>>({ history: 10 });
  const place = new LogPlace(entries, LARGE);
  let graph: TaskGraph = NO_TASKS;
  for (let version = 0; version < 20; version++) {
    graph = done(createTasks(graph, [{ subject: 'Task' }], AT)).graph;
    place.commit(version, graph, new Date());
  }
  expect(() => new LogPlace(entries, LARGE).load()).toThrow(/builds upon are missing/);
});
