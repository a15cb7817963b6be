import { spawn } from 'node:child_process';
import type { AgentBashHandler, CommandResult } from '../../base/command/agent-command.ts';
import { nearNameText } from '../../base/command/near-names.ts';
import { noteLines } from '../../base/command/replies.ts';
import { heredoc, MAX_JSON_BYTES } from '../../base/json/json-input.ts';
import { withoutQuoted } from '../../base/line/quotes.ts';

const LIMIT_MS = 5_000;
/** The start of JSON; of a test or a group of bash only if a quote follows its bracket. */
const MAY_BE_JSON = /[{[]\s*\\?["'[{]/;

/**
 * True if bash can parse a text, which it does not run. Rejects if bash cannot tell within five seconds, or one of the signals aborts.
 *
 * @param bash its absolute path.
 */
export function canRead(
  bash: string,
  text: string,
  signals: readonly AbortSignal[] = [],
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn(bash, ['-n'], {
      env: {},
      stdio: ['pipe', 'ignore', 'ignore'],
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
      signal: AbortSignal.any([...signals]),
    });
    child.on('error', reject);
    child.on('close', (code, signal) =>
      code === null ? reject(new Error(`bash -n: ${signal}`)) : resolve(code === 0),
    );
    // Without a free descriptor there is no stream.
    child.stdin?.on('error', () => {});
    child.stdin?.end(`${text}\n`);
  });
}

/**
 * A note, after bash's syntax error, on how to pass JSON safely, or an apostrophe in a line without JSON. Empty if bash can parse
 * the line, if it names no agent command, or if it is too long for JSON.
 *
 * @param bash its absolute path.
 */
export async function heredocHint(
  line: string,
  handlers: ReadonlyMap<string, Pick<AgentBashHandler, 'jsonExample'>>,
  bash: string,
): Promise<string> {
  if (line.length > MAX_JSON_BYTES) return '';
  const name = line.match(/[\w-]+/g)?.find((word) => handlers.has(word));
  if (name === undefined || (await canRead(bash, line).catch(() => true))) return '';
  if (!MAY_BE_JSON.test(line)) {
    const [unclosed] = /['"]/.exec(withoutQuoted(line)) ?? [];
    return unclosed === "'" ? noteLines(["inside single quotes, write ' as '\\''"]) : '';
  }
  const { jsonExample = '...' } = handlers.get(name) ?? {};
  return noteLines([
    `pass the JSON as a heredoc, where quotes need no escaping: ${heredoc(name, jsonExample)}`.trimEnd(),
  ]);
}

const NOT_FOUND = /^(?:.*: )?([\w-]{1,40}): command not found\n/gm;
/** How many names of a flood of errors are looked up. */
const MAX_READ = 64 * 1024;
const MAX_NAMES = 5;

/** The stderr of a line, with a suggestion for each of the first unknown names that is close to that of an agent command. */
export function withNearNames(
  line: string,
  { stdout, stderr }: CommandResult,
  commands: readonly string[],
): string {
  const merged = /2>&1|&>|\|&/.test(line) ? stdout.slice(0, MAX_READ) : '';
  const names = new Set<string>();
  const suggested = (name = '') => {
    if (names.has(name) || names.size === MAX_NAMES) return undefined;
    names.add(name);
    return nearNameText(name, commands);
  };
  const start = stderr.slice(0, MAX_READ);
  const text = start.replace(NOT_FOUND, (error, name) => suggested(name) ?? error);
  const further = [...merged.matchAll(NOT_FOUND)].map(([, name]) => suggested(name) ?? '');
  return text + stderr.slice(MAX_READ) + further.join('');
}
