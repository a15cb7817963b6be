import { join } from 'node:path';
import { describe } from 'vitest';
import { FilePlace } from '../../src/lists/file-place.ts';
import { type AnyPlace, MemoryPlace } from '../../src/lists/place.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { describeOn, useServers } from '../helpers/servers.ts';

/** Opens places on one list, which see each other's commits. */
type Create = (history: number) => () => AnyPlace<string[]>;

let lists = 0;

/** In memory, in files and on each server. */
export function describeEachPlace(tests: (create: Create) => void): void {
  const servers = useServers();
  describe('in memory', () =>
    tests((history) => {
      const place = new MemoryPlace<string[]>({ author: 'ann', history });
      return () => place;
    }));
  describe('in files', () =>
    tests((history) => {
      const folder = join(temporaryDirectory(), 's', 'a');
      return () => new FilePlace({ folder, author: 'ann', history });
    }));
  describeOn(servers.each, (server) =>
    tests((history) => {
      const key = `todos/${++lists}`;
      return () => server().place(key, { author: 'ann', history });
    }),
  );
}
