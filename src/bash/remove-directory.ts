import { readdirSync, rmdirSync, rmSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Removes a directory with everything in it. */
export function removeDirectory(path: string): void {
  try {
    // What rmSync loads for a directory takes longer than removing a few files.
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const inside = join(path, entry.name);
      if (entry.isDirectory()) removeDirectory(inside);
      else unlinkSync(inside);
    }
    rmdirSync(path);
  } catch {
    rmSync(path, { recursive: true, force: true });
  }
}
