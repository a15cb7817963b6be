import { type FileSystem, nodeFileSystem } from '../../src/state/file-system.ts';

/** One call of an operation: its name, and the path where it has one. */
export interface Operation {
  readonly name: string;
  readonly path: string;
}

/**
 * A file system that asks before each operation, counted from 0. What `ask` throws is what the operation throws.
 *
 * @param below what carries the operations out.
 */
export function askingFileSystem(
  ask: (operation: Operation, index: number) => void,
  below: FileSystem = nodeFileSystem,
): FileSystem {
  let index = 0;
  const asking = Object.entries(below).map(([name, operation]) => [
    name,
    (...parameters: unknown[]) => {
      const [path] = parameters;
      ask({ name, path: typeof path === 'string' ? path : '' }, index++);
      return (operation as (...parameters: unknown[]) => unknown)(...parameters);
    },
  ]);
  return Object.fromEntries(asking) as FileSystem;
}

/** An error as the system gives it. */
export function systemError(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: injected`), { code });
}

/** Thrown in place of every operation of a process that was killed. */
export class Killed extends Error {}
