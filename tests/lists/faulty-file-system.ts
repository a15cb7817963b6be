import { type FileSystem, nodeFileSystem } from '../../src/lists/file-system.ts';

/** One call of an operation, with its path if it has one. */
export interface Operation {
  readonly name: string;
  readonly path: string;
}

/**
 * A file system that calls `ask` before each operation, counted from 0, which may throw in its place.
 *
 * @param below carries the operations out.
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

export function systemError(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: injected`), { code });
}

/** Thrown for every operation of a killed process. */
export class Killed extends Error {}
