import { spawn } from 'node:child_process';
import type { AgentBashHandler } from '../command/agent-command.ts';
import { nearName, nearNameText } from '../command/near-names.ts';
import { noteLines } from '../command/replies.ts';
import { heredoc, MAX_JSON_BYTES } from '../json/json-input.ts';

const LIMIT_MS = 1_000;

/** True if bash can parse a text, which it does not run; also if it takes more than a second. @param bash its absolute path. */
export function canRead(bash: string, text: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(bash, ['-n'], {
      env: {},
      stdio: ['pipe', 'ignore', 'ignore'],
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
    });
    child.on('error', () => resolve(true));
    child.on('close', (code) => resolve((code ?? 0) === 0));
    // Without a free descriptor there is no stream.
    child.stdin?.on('error', () => {});
    child.stdin?.end(`${text}\n`);
  });
}

/**
 * A note, after bash's syntax error, on how to pass JSON safely. Empty if bash can parse the line, if it names no agent command,
 * or if it is too long for JSON.
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
  if (name === undefined || (await canRead(bash, line))) {
    return '';
  }
  const { jsonExample = '...' } = handlers.get(name) ?? {};
  return noteLines([
    `pass the JSON as a heredoc, where quotes need no escaping: ${heredoc(name, jsonExample)}`.trimEnd(),
  ]);
}

const NOT_FOUND = /^(?:.*: )?([\w-]{1,40}): command not found\n/gm;

/** Adds suggestions to `command not found` errors for names that are close to those of agent commands. */
export function withNearName(stderr: string, commands: readonly string[]): string {
  return stderr.replace(NOT_FOUND, (line, name: string) => {
    const meant = nearName(name, commands);
    return meant ? nearNameText(name, meant) : line;
  });
}
