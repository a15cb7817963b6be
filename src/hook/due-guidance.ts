import { type AgentBashHandler, CommandType } from '../command/agent-command.ts';
import { Guide } from '../guidance/guide.ts';
import { LIST_NOTES } from '../guidance/list-notes.ts';
import { GUIDANCE_RULES } from '../guidance/rules.ts';
import type { GuidanceSettings } from '../settings.ts';
import type { TodoVersion } from '../todo/todo-store.ts';
import type { Entry } from './journal.ts';

/**
 * TodoWrite has said the others itself. A hook speaks into a conversation, so it says each thing once for a state of the
 * list.
 */
const RULES = GUIDANCE_RULES.filter((rule) => !LIST_NOTES.includes(rule)).map((rule) => ({
  ...rule,
  times: 1,
}));
/** A line of which no more is known than that it ran: nothing can be read from it. */
const SOME_LINE = '(';

/**
 * What is due after the last entry. A guide of a session that lasted would know what happened and what it has said; this
 * one goes through the entries again, and so comes to the same. Only what it says last is news.
 */
export async function dueGuidance(
  entries: readonly Entry[],
  settings: GuidanceSettings,
): Promise<string> {
  const list = { now: listBefore(entries) };
  const guide = new Guide({
    store: { get: () => list.now },
    rules: RULES,
    settings: () => settings,
  });
  guide.look();
  const before = entries.slice(0, -1);
  for (const entry of before) replay(entry, guide, list);
  const last = entries.at(-1);
  if (last?.line === undefined) return '';
  guide.commandStarted(last.line, CommandType.NATIVE_SHELL_COMMAND);
  const notes = await notesOnChange(last, guide, list);
  const reminders = guide.commandEnded(last.exit);
  return [...notes, ...reminders].join('\n');
}

/** What was said then is known to the guide again, but for notes: to find them again would take long, for nothing. */
function replay(
  { line, exit, lines = 0, list: written }: Entry,
  guide: Guide,
  list: { now: TodoVersion | undefined },
): void {
  for (let some = 0; some < lines; some++) {
    guide.commandStarted(SOME_LINE, CommandType.NATIVE_SHELL_COMMAND);
    guide.commandEnded(undefined);
  }
  if (line !== undefined) guide.commandStarted(line, CommandType.NATIVE_SHELL_COMMAND);
  if (written) list.now = versionOf(written);
  if (line === undefined) guide.look();
  else guide.commandEnded(exit);
}

/** Notes are said of a command that replaced the list: of TodoWrite, somewhere in the line. */
async function notesOnChange(
  { list: written }: Entry,
  guide: Guide,
  list: { now: TodoVersion | undefined },
): Promise<string[]> {
  const execute = async () => {
    if (written) list.now = versionOf(written);
    return { stdout: '', stderr: '', exitCode: 0 };
  };
  const handler: AgentBashHandler = { name: 'TodoWrite', execute };
  const { stderr } = await guide.guided(handler).execute({ argv: [], stdin: async () => '' });
  return stderr === '' ? [] : [stderr.trimEnd()];
}

/** The list before the first entry: one that this very line began, or one that was made by nobody knows whom. */
function listBefore(entries: readonly Entry[]): TodoVersion | undefined {
  const first = entries.find(({ list }) => list !== undefined);
  if (first?.list === undefined) return undefined;
  const isBegun = first.list.version === 1 && first.line?.includes('TodoWrite');
  return versionOf(isBegun ? { version: 0, items: [] } : first.list);
}

function versionOf(list: NonNullable<Entry['list']>): TodoVersion {
  return { ...list, updatedAt: new Date(0), by: '' };
}
