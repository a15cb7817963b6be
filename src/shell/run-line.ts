import { findBash } from '../bash/find-program.ts';
import { type AgentBashHandler, executeSafely } from '../command/agent-command.ts';
import { textOfBytes } from '../command/utf8.ts';
import { MAX_JSON_BYTES } from '../json/json-input.ts';
import { readLine } from '../router/read-line.ts';
import { readStandardInput, writeAll } from '../terminal/synchronous-io.ts';
import { writeResult } from './write-result.ts';

/** Runs one line as `bash -c LINE NAME ARG...` does, a literal agent command without any bash. */
export async function runLine(
  line: string,
  parameters: readonly string[],
  handlers: ReadonlyMap<string, AgentBashHandler>,
): Promise<number> {
  const { call, raw } = readLine(line, handlers);
  if (call) {
    const stdin = async () => textOfBytes(readStandardInput(MAX_JSON_BYTES), MAX_JSON_BYTES);
    const result = await executeSafely(call.handler, { ...call.invocation, stdin });
    return writeResult(call.handler.name, result);
  }
  const { runBash } = await import('./run-bash.ts');
  const exitCode = await runBash(['-c', '--', line, ...parameters], handlers, raw);
  if (exitCode !== 0) {
    const { heredocHint } = await import('../router/heredoc-hint.ts');
    writeAll(2, await heredocHint(line, handlers, findBash(process.env)));
  }
  return exitCode;
}
