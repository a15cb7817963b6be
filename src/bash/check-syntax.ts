import { spawn } from 'node:child_process';

/** What `bash -n` says about a text: it is complete, it continues on the next line, or it is wrong. */
export type Syntax = 'complete' | 'incomplete' | 'invalid';

const LIMIT_MS = 1_000;

/**
 * Asks bash whether a text is well-formed, without running it. If bash needs more than a second, the text counts as
 * well-formed.
 *
 * @param bash the absolute path of bash.
 */
export function checkSyntax(bash: string, text: string): Promise<Syntax> {
  return new Promise((resolve) => {
    // English messages, no start-up files, and nothing from the caller's environment.
    const child = spawn(bash, ['-n'], {
      env: { LC_ALL: 'C' },
      stdio: ['pipe', 'ignore', 'pipe'],
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
    });
    let messages = '';
    child.on('error', () => resolve('complete'));
    // There are no streams if no descriptor was left for them.
    child.stderr?.on('data', (chunk) => {
      messages += chunk;
    });
    child.on('close', (code) => {
      const isCut = /unexpected EOF|unexpected end of file|delimited by end-of-file/.test(messages);
      // No exit code: it was too slow.
      resolve(isCut ? 'incomplete' : (code ?? 0) === 0 ? 'complete' : 'invalid');
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end(`${text}\n`);
  });
}
