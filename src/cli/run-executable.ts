import { type AgentBashHandler, executeSafely } from '../command.ts';
import { readSettings, type SettingsReading } from '../settings.ts';
import { MAX_LIST_BYTES } from '../todo/list-size.ts';
import { FileLists } from './file-lists.ts';
import { codeOf, readStandardInput, writeAll } from './synchronous-io.ts';

/** Runs an agent command as a program of its own, on lists in files. */
export async function runExecutable(
  create: (
    lists: FileLists,
    settings: () => SettingsReading,
    directory: string | undefined,
  ) => AgentBashHandler,
): Promise<void> {
  const directory = currentDirectory();
  const lists = new FileLists(process.env, directory);
  const settings = () => {
    const reading = readSettings(process.env, directory ?? '');
    return { ...reading, warnings: [...reading.warnings, ...lists.warnings] };
  };
  const handler = create(lists, settings, directory);
  const { stdout, stderr, exitCode } = await executeSafely(handler, {
    argv: process.argv.slice(2),
    stdin: async () => readStandardInput(MAX_LIST_BYTES),
  });
  process.exitCode = exitCode;
  try {
    writeAll(2, stderr);
    writeAll(1, stdout);
  } catch (error) {
    process.exitCode = 1;
    // A reader that goes away, as `head` does, is no error of ours.
    if (codeOf(error) === 'EPIPE') return;
    const reason = error instanceof Error ? error.message : String(error);
    writeAll(2, `${handler.name}: write error: ${reason}\n`);
  }
}

function currentDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}
