import { noteLines } from '../base/command/replies.ts';
import { QUOTES_BROKE } from '../base/json/json-input.ts';
import { findBash } from '../base/system/access.ts';
import { writeAll } from '../base/system/files.ts';
import { shellList } from '../cli/shell-list.ts';
import { connectToServers } from '../servers/server-storage.ts';
import { agentHandlers } from '../shell/router/agent-handlers.ts';
import { canRead, heredocHint } from '../shell/router/bash-syntax.ts';
import { mendLine } from '../shell/router/mend-line.ts';
import { taskCommands } from '../tasks/task-commands.ts';

// `agent-shell --mend LINE`: agent-shell.sh asks about a line whose quotes may be broken. Exit code 0: standard output is the
// line to run instead. 3: it is a hint to print after bash's syntax error. 1: nothing.

const MENDED = 0;
const NOT_MENDED = 1;
const HINT = 3;

connectToServers();

const [, , , line = ''] = process.argv;
const { source, settings, tasks } = shellList({});
const handlers = new Map(
  [...agentHandlers(source, settings), ...taskCommands(tasks)].map((handler) => [
    handler.name,
    handler,
  ]),
);
const bash = findBash(process.env);

async function answerWithExitCode(): Promise<number> {
  const mended = await mendLine(line, handlers, (text) => canRead(bash, text));
  if (mended !== undefined) {
    writeAll(1, mended);
    writeAll(2, noteLines([QUOTES_BROKE]));
    return MENDED;
  }
  const hint = await heredocHint(line, handlers, bash);
  writeAll(1, hint);
  return hint === '' ? NOT_MENDED : HINT;
}

answerWithExitCode().then((exitCode) => {
  process.exitCode = exitCode;
});
