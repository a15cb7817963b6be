import { type AgentBashHandler, executeSafely } from '../command/agent-command.ts';
import { MAX_LIST_BYTES } from '../json/list-size.ts';
import { readSettings, type SettingsSource } from '../settings.ts';
import { writeResult } from '../shell/write-result.ts';
import { readStandardInput } from '../terminal/synchronous-io.ts';
import { FileLists } from '../todo/file-lists.ts';

/** Runs an agent command as a program of its own, on lists in files. */
export async function runExecutable(
  create: (
    lists: FileLists,
    settings: SettingsSource,
    directory: string | undefined,
  ) => AgentBashHandler,
): Promise<void> {
  const directory = currentDirectory();
  // One call, one reading.
  const reading = readSettings(process.env, directory);
  const lists = new FileLists(process.env, directory, reading.settings);
  const handler = create(lists, () => reading, directory);
  const result = await executeSafely(handler, {
    argv: process.argv.slice(2),
    stdin: async () => readStandardInput(MAX_LIST_BYTES),
  });
  process.exitCode = writeResult(handler.name, result);
}

function currentDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}
