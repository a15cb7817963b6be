import type { SeenLine } from '../command/agent-command.ts';
import type { Environment } from '../environment.ts';
import { Journal, seenLines } from '../hook/journal.ts';
import { harnessSession, hookFolder, promptFile } from '../state/list-paths.ts';
import { readOwnFile } from '../system/files.ts';
import type { TodoLists } from '../todo/todo-lists.ts';
import { promptShell } from './tell-prompt.ts';

/** The lines that ran before a command on PATH, as a prompt of agent-shell and the hook of a harness saw them. */
export function seenOutside(lists: TodoLists, environment: Environment): readonly SeenLine[] {
  const pid = promptShell(environment);
  const byHook = () => {
    const journal = new Journal(lists.checked(hookFolder(lists.folder, lists.name({}))));
    return seenLines(journal.read(), harnessSession(environment));
  };
  const atPrompt = () =>
    seenAtPrompt(readOwnFile(lists.checked(promptFile(lists.folder, pid))).toString());
  return [...orNone(byHook), ...(pid > 0 ? orNone(atPrompt) : [])].sort((a, b) => +a.at - +b.at);
}

/** A file that cannot be read proves nothing. */
function orNone(read: () => SeenLine[]): SeenLine[] {
  try {
    return read();
  } catch {
    return [];
  }
}

/** Of each line when the prompt before it was there and the one after it, in microseconds, its exit code and its text. */
function seenAtPrompt(text: string): SeenLine[] {
  const fields = text.split('\0');
  const lines: SeenLine[] = [];
  for (let start = 0; start + 4 < fields.length; start += 4) {
    const [from, at, exitCode, line = ''] = fields.slice(start, start + 4);
    lines.push({ line, exitCode: Number(exitCode), from: timeOf(from), at: timeOf(at) });
  }
  return lines;
}

function timeOf(microseconds: string | undefined): Date {
  return new Date(Math.floor(Number(microseconds) / 1000));
}
