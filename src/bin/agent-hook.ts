import { MAX_INPUT_BYTES, runHook } from '../hook/run-hook.ts';
import { readStandardInput, writeAll } from '../terminal/synchronous-io.ts';

// `agent-shell hook`. Whatever happens, the harness gets an answer in its own words or none, and exit code 0.

process.on('uncaughtException', () => process.exit(0));

runHook({
  argv: process.argv.slice(2),
  input: () => readStandardInput(MAX_INPUT_BYTES).toString(),
  environment: process.env,
  directory: currentDirectory(),
  now: () => new Date(),
}).then((answer) => {
  if (answer !== '') writeAll(1, answer);
});

function currentDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}
