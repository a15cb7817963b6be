import { readFileSync } from 'node:fs';
import type { AgentBashHandler, CommandResult } from '../base/command/agent-command.ts';
import { HELP_OPTIONS } from '../base/command/options.ts';
import { limitProgram } from '../base/command/time-limit.ts';
import { InvalidUtf8, refuseInvalidUtf8, textOfBytes } from '../base/command/utf8.ts';
import { MAX_JSON_BYTES } from '../base/json/json-input.ts';
import type { SettingsSource } from '../base/settings/settings.ts';
import { codeOf, orElse, writeAll } from '../base/system/files.ts';
import { isTerminal, readStandardInput } from '../base/system/standard-io.ts';
import { tellPrompt } from '../prompt/prompt-shell.ts';
import type { PeopleLook } from '../screen/panel/for-people.ts';
import { isDriven } from '../screen/terminal/driven.ts';
import { connectToServers } from '../servers/server-storage.ts';
import { teamNews, teamOf } from '../tasks/task-context.ts';
import { TodoHome } from '../todo/todo-home.ts';
import { exitNow } from './exit-now.ts';

connectToServers();

/** Runs an agent command as its own program, on lists in files or on a server. */
export async function runExecutable(
  create: (home: TodoHome, settings: SettingsSource) => AgentBashHandler,
  forReader: typeof withShortNames = async (result) => result,
): Promise<void> {
  const home = new TodoHome(
    process.env,
    orElse(() => process.cwd(), undefined),
  );
  const { settings } = home;
  const handler = create(home, () => home.reading);
  limitProgram(settings);
  // The task commands do this themselves. It goes on while the server works on the command.
  const isOnList = handler.name.startsWith('Todo');
  const isHelp = process.argv.some((word) => Object.hasOwn(HELP_OPTIONS, word));
  const isRenewing = isOnList && !isHelp && settings.leaseMs !== undefined;
  const renewed = isRenewing && teamNews(teamOf(home), settings, false);
  const ran = await runHandler(handler);
  const hasChanged = ran.exitCode === 0 && !handler.isReadOnly && !isHelp;
  const result = await forReader(ran);
  process.exitCode = writeResult(handler.name, result, hasChanged);
  await renewed;
  await home.close();
  if (hasChanged) {
    const agentShell = `${__dirname}/../bin/agent-shell.cjs`;
    tellPrompt(process.env, agentShell, isOnList ? 'todos' : 'tasks');
  }
  exitNow();
}

async function runHandler(handler: AgentBashHandler): Promise<CommandResult> {
  const argv = process.argv.slice(2);
  const invalid = invalidArgument(argv);
  if (invalid) return refuseInvalidUtf8(invalid);
  return handler.execute({
    argv,
    tell,
    stdin: async () => textOfBytes(readStandardInput(MAX_JSON_BYTES), MAX_JSON_BYTES),
  });
}

/** Node replaces bytes that are not UTF-8 by U+FFFD. On Linux, /proc has the bytes. */
function invalidArgument(argv: readonly string[]): InvalidUtf8 | undefined {
  if (!argv.some((argument) => argument.includes('\ufffd'))) return undefined;
  try {
    const bytes = readFileSync('/proc/self/cmdline').toString('latin1').split('\0');
    for (const argument of bytes.slice(0, -1).slice(-argv.length)) {
      textOfBytes(Buffer.from(argument, 'latin1'));
    }
  } catch (error) {
    if (error instanceof InvalidUtf8) return error;
  }
  return undefined;
}

/**
 * Writes the result to this process's streams, and returns the exit code. If standard output is closed, Node has opened
 * /dev/null there, which a caller may do as well: that cannot be an error. `isStored`: what was done stays done.
 */
export function writeResult(name: string, ran: CommandResult, isStored = false): number {
  tell(ran.stderr);
  try {
    writeAll(1, ran.stdout);
    return ran.exitCode;
  } catch (error) {
    const stored = isStored ? '; any change is stored' : '';
    // A reader that stops, such as `head`, is no error.
    if (codeOf(error) !== 'EPIPE') {
      tell(`${name}: write error: ${(error as Error).message}${stored}\n`);
    }
    // To a model, 1 would say that nothing was changed.
    return isStored ? ran.exitCode : 1;
  }
}

/** If the text cannot be written, as on a full disk, checks run all the same, and the exit code stays. */
function tell(text: string): void {
  orElse(() => writeAll(2, text), undefined);
}

/** Returns undefined unless a person reads the output: on a terminal, without TODO_PANEL=off, that no program drives. */
export function peopleLook(): (() => Promise<PeopleLook>) | undefined {
  const { env } = process;
  if (env.CI || env.TODO_PANEL === 'off' || (env.TERM || 'dumb') === 'dumb') return undefined;
  if (!isOnTerminal() || isDriven(env, 1)) return undefined;
  return async () => {
    const { stdout, env } = process;
    const { themeFor } = await import('../screen/panel/theme.ts');
    return { theme: themeFor(stdout, env), columns: stdout.columns || 80, now: Date.now() };
  };
}

/** The result as people read it: only JSON has the whole names of agents. */
export async function withShortNames(result: CommandResult): Promise<CommandResult> {
  const { shortNames } = await import('../screen/panel/look.ts');
  const stdout = result.stdout.startsWith('{') ? result.stdout : shortNames(result.stdout);
  return { ...result, stdout, stderr: shortNames(result.stderr) };
}

function isOnTerminal(): boolean {
  // Standard output may be closed.
  return orElse(() => isTerminal(1), false);
}
