import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { runHook } from '../../src/harness/hook/run-hook.ts';
import { TodoHome } from '../../src/todo/todo-home.ts';
import { openTodoStore } from '../../src/todo/todo-store.ts';
import { items } from '../guidance/agent-session.ts';
import { temporaryDirectory } from './files.ts';
import { listFolder } from './list-folders.ts';

/** A hook never fails: what goes wrong is only in its log. So a test fails that leaves one and has not read it. */
function hookLog(state: string): () => string {
  const path = join(state, 'hook.log~');
  let isRead = false;
  onTestFinished(() => {
    if (!isRead) expect(existsSync(path) ? readFileSync(path, 'utf8') : '').toBe('');
  });
  return () => {
    isRead = true;
    return readFileSync(path, 'utf8');
  };
}

const NOON = () => new Date('2026-11-21T12:00:00Z');

/** A work tree, a folder for lists, and a harness's session with an id. */
export function harness(session: string, variable?: string, now = NOON) {
  const root = temporaryDirectory();
  const directory = join(root, 'app');
  mkdirSync(join(directory, '.git'), { recursive: true });
  const environment: Record<string, string> = { TODO_STATE_DIR: join(root, 'state') };
  const named = variable && { [variable]: session };
  const list = () => new TodoHome({ ...environment, ...named }, directory).open({});
  /** The hook's output for an event. */
  const say = (input: object | string, ...argv: string[]) =>
    runHook({
      argv: ['hook', ...argv],
      input: () => (typeof input === 'string' ? input : JSON.stringify(input)),
      environment,
      directory,
      now,
      commands: join(import.meta.dirname, '..', '..', 'dist', 'bin', 'commands'),
    });
  /** The list of an agent in this work tree, for this author. */
  const listBy = (author?: string, agent = `main@${session}`) => {
    const folder = listFolder(join(root, 'state'), { session: directory, agent });
    return openTodoStore({ folder, author });
  };
  return {
    directory,
    listBy,
    environment,
    say,
    write: (...lines: string[]) => list().update(items(...lines)),
    state: environment.TODO_STATE_DIR ?? '',
    log: hookLog(join(root, 'state')),
  };
}

export type TestHarness = ReturnType<typeof harness>;

/** A harness's recorded events, one a line. */
export function recorded(name: string): string[] {
  const path = join(import.meta.dirname, '..', 'harness', 'hook', 'recorded', `${name}.jsonl`);
  return readFileSync(path, 'utf8').trimEnd().split('\n');
}
