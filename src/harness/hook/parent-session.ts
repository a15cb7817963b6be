import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { orElse, readStart } from '../../base/system/files.ts';

const MOST_READ = 256 * 1024;
/** Written by Claude Code's /branch, and in the first line of a transcript of Codex. */
const FORKED = /"(?:forkedFrom":\{"sessionId|forked_from_id)":"([\w-]+)"/;
/** The first prompt after Claude Code's plan mode names the transcript of the session that made the plan. */
const PLANNED = /read the full transcript at: ?[^"\\\n]*\/([\w-]+)\.jsonl/;

/** The harness's session from which this one was forked, or has its plan; undefined if the event names none. */
export function parentSession({
  hook_event_name,
  transcript_path,
  prompt,
}: Readonly<Record<string, unknown>>): string | undefined {
  const path = String(transcript_path ?? '');
  const begins = path === '' ? '' : orElse(() => readStart(path, MOST_READ).toString(), '');
  // Later on, the list of a parent that goes on is about its own work.
  const forked = hook_event_name === 'SessionStart' ? FORKED.exec(begins) : undefined;
  const named = forked ?? PLANNED.exec(`${prompt}\n${begins}`);
  return named?.[1] ?? orElse(() => copiedFrom(path, begins), undefined);
}

/** The id and the time of each message. */
const MESSAGE = /("uuid":"[\w-]+"),"timestamp":"([^"]+)"/g;
const COPIED_MS = 1000;

/** Claude Code's --fork-session copies messages with their ids: they are older than their transcript, and in its parent's. */
function copiedFrom(path: string, begins: string): string | undefined {
  const folder = dirname(path);
  const bornAt = (name: string) => statSync(join(folder, name)).birthtimeMs;
  const start = bornAt(basename(path)) - COPIED_MS;
  const copied = [...begins.matchAll(MESSAGE)].filter(([, , at = '']) => Date.parse(at) <= start);
  const id = copied.at(-1)?.[1];
  if (id === undefined) return undefined;
  // Other forks, which are younger than the parent, may have the last message, too.
  return readdirSync(folder)
    .filter((name) => name !== basename(path))
    .map((name) => ({ name, at: bornAt(name) }))
    .sort((a, b) => a.at - b.at)
    .find(({ name }) => orElse(() => readStart(join(folder, name), MOST_READ).includes(id), false))
    ?.name.replace(/\.jsonl$/, '');
}
