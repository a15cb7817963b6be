import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import type { AgentBashHandler, CommandResult } from '../../base/command/agent-command.ts';
import { nearNameText } from '../../base/command/near-names.ts';
import { noteLines } from '../../base/command/replies.ts';
import type { Environment } from '../../base/environment.ts';
import { heredoc, MAX_JSON_BYTES } from '../../base/json/json-input.ts';
import { withoutQuoted } from '../../base/line/quotes.ts';
import { evalTexts } from './mend-line.ts';

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
 * A note, after bash's syntax error, on how to pass JSON safely; in a line without JSON, on an apostrophe or a call in parentheses.
 * Empty if bash can parse the line, if it names no agent command, or if it is too long for JSON.
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
  if (name === undefined) return '';
  if (await canRead(bash, line).catch(() => true)) {
    // Harnesses wrap lines in eval.
    const [wrapped] = evalTexts(line);
    return wrapped ? heredocHint(wrapped.text, handlers, bash) : '';
  }
  if (!MAY_BE_JSON.test(line)) {
    if (line.includes(`${name}(`)) return noteLines([`write ${name} without parentheses`]);
    const [unclosed] = /['"]/.exec(withoutQuoted(line)) ?? [];
    return unclosed === "'" ? noteLines(["inside single quotes, write ' as '\\''"]) : '';
  }
  const { jsonExample = '...' } = handlers.get(name) ?? {};
  return noteLines([
    `pass the JSON as a heredoc, where quotes need no escaping: ${heredoc(name, jsonExample)}`.trimEnd(),
  ]);
}

/** How many names of a flood of errors are looked up. */
const MAX_READ = 64 * 1024;
const MAX_NAMES = 5;
/** Bash shows a carriage return after a name as `$'TodoRead\r'`. */
const NAME_AT_END = /(?<![\w-])([\w-]{1,40})(\\r'|:)?$/;
const FOLLOWS: Readonly<Record<string, string>> = {
  "\\r'": 'a carriage return follows its name, as in Windows line ends',
  ':': 'a colon follows its name',
};
/** People cannot tell these from a space, or from nothing; for bash they are letters. */
const UNSEEN = '[\\xa0\\u1680\\u2000-\\u200d\\u202f\\u205f\\u2060\\u3000\\ufeff]';
const NO_COMMAND = 'agent-shell-no-command';
const NOT_FOUND = ': command not found';
const LANGUAGES = ['LANGUAGE', 'LC_ALL', 'LC_MESSAGES', 'LANG'];

/** What bash prints after the name of a command that it does not find, in the language of an environment. */
export async function notFoundText(bash: string, env: Environment): Promise<string> {
  if (LANGUAGES.every((name) => /^(?:(?:C|POSIX|en)(?![a-z]).*)?$/s.test(env[name] ?? '')))
    return NOT_FOUND;
  const names = [...LANGUAGES, 'LC_CTYPE', 'LOCPATH'];
  const language = Object.fromEntries(names.map((name) => [name, env[name]]));
  const child = promisify(execFile)(bash, ['-c', NO_COMMAND], { env: language, timeout: LIMIT_MS });
  const said = await child.catch(({ stderr = '' }) => stderr);
  return String(said).split(NO_COMMAND)[1]?.trimEnd() || NOT_FOUND;
}

/**
 * The stderr of a line, with a suggestion for each of the first unknown names that is close to that of an agent command.
 *
 * @param notFound see `notFoundText`.
 */
export function withNearNames(
  line: string,
  { stdout, stderr, exitCode }: CommandResult,
  commands: readonly string[],
  notFound: string,
): string {
  const merged = /2>&1|&>|\|&/.test(line) ? stdout.slice(0, MAX_READ) : '';
  const names = new Set<string>();
  const suggestionFor = (error: string) => {
    const [, name, following = ''] =
      (error.endsWith(notFound) && NAME_AT_END.exec(error.slice(0, -notFound.length))) || [];
    if (name === undefined || names.has(name) || names.size === MAX_NAMES) return undefined;
    names.add(name);
    return following && commands.includes(name)
      ? `${name}: command not found: ${FOLLOWS[following]}\n`
      : nearNameText(name, commands);
  };
  const lines = stderr.slice(0, MAX_READ).split('\n');
  const text = lines.map((error) => suggestionFor(error)?.trimEnd() ?? error).join('\n');
  const further = merged.split('\n').map((error) => suggestionFor(error) ?? '');
  const isMissing = exitCode === 127 || stderr.includes(notFound);
  const unseen = isMissing ? unseenBeside(line, commands) : [];
  return text + stderr.slice(MAX_READ) + further.join('') + noteLines(unseen);
}

function unseenBeside(line: string, commands: readonly string[]): string[] {
  const names = `(?<![\\w-])(?:${commands.join('|')})(?![\\w-])`;
  const [found] = new RegExp(`${UNSEEN}${names}|${names}${UNSEEN}`).exec(line) ?? [];
  const [unseen = ''] = found?.match(new RegExp(UNSEEN)) ?? [];
  const code = unseen.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  const name = found?.replace(unseen, '');
  return name ? [`bash takes the U+${code} beside ${name} for a letter; write a space`] : [];
}
