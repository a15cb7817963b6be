import { findBash } from '../bash/find-program.ts';
import { type AgentBashHandler, executeSafely } from '../command/agent-command.ts';
import { MAX_LIST_BYTES } from '../json/list-size.ts';
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
    const stdin = async () => readStandardInput(MAX_LIST_BYTES);
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
