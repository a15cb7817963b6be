import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from './eventually.ts';

/**
 * Makes something once for all tests of a run. Returns the result of the process that asked first, as JSON.
 *
 * @param make receives a folder, which is removed after the run.
 */
export async function oncePerRun<Made>(
  name: string,
  make: (folder: string) => Made | Promise<Made>,
): Promise<Made> {
  const folder = join(process.env.TEST_FOLDER ?? '', name);
  const file = join(folder, 'made.json');
  try {
    mkdirSync(folder);
  } catch {
    await eventually(`another process has made ${name}`, () => existsSync(file), 120_000);
    return resultIn(file);
  }
  let result: object;
  try {
    result = { made: await make(folder) };
  } catch (error) {
    result = { problem: String(error) };
  }
  writeFileSync(`${file}.new`, JSON.stringify(result));
  renameSync(`${file}.new`, file);
  return resultIn(file);
}

/** The result after a run, if it was made. */
export function madeIn<Made>(name: string, run: string): Made | undefined {
  const file = join(run, name, 'made.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).made : undefined;
}

function resultIn<Made>(file: string): Made {
  const { made, problem } = JSON.parse(readFileSync(file, 'utf8'));
  if (problem !== undefined) throw new Error(problem);
  return made;
}
