import { seeHelp } from '../base/command/replies.ts';
import { jsonObjectEnd } from '../base/json/object-end.ts';
import { orElse, writeAll } from '../base/system/files.ts';
import { isTerminal, readStandardInput } from '../base/system/standard-io.ts';
import { MAX_INPUT_BYTES, runHook } from '../harness/hook/run-hook.ts';
import { connectToServers } from '../servers/server-storage.ts';
import { exitNow } from './exit-now.ts';

connectToServers();

// `agent-shell hook`. A failure must not disturb the harness: it gets an answer in its dialect or none, and exit code 0.

process.on('uncaughtException', () => process.exit(0));

if (isTerminal(0)) {
  writeAll(2, seeHelp('hook is for coding agents, which send it JSON', 'agent-shell setup --help'));
} else {
  runHook({
    argv: process.argv.slice(2),
    input: () => readStandardInput(MAX_INPUT_BYTES, jsonObjectEnd()).toString(),
    environment: process.env,
    directory: orElse(() => process.cwd(), undefined),
    now: () => new Date(),
    commands: `${__dirname}/../bin/commands`,
  }).then((answer) => {
    if (answer !== '') writeAll(1, answer);
    // An idle connection to a server would keep the process alive for seconds.
    exitNow();
  });
}
