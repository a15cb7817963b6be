// A terminal for programs that need one.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasProc } from './proc.js';

/** The program that is missing for measurements on a terminal, if any. */
export function missingForTerminal() {
  // `script` of util-linux gives it a terminal; elsewhere a program of that name takes other arguments.
  const hasScript = spawnSync('script', ['--version']).stdout?.includes('util-linux');
  return hasScript ? (hasProc ? undefined : 'no /proc') : '`script` of util-linux';
}

/**
 * Runs a shell's command on a terminal of 80 by 24, in a home folder of its own, while `work` lasts.
 *
 * @param {(terminal: import('node:child_process').ChildProcess) => Promise<unknown>} work
 */
export async function onTerminal(command, keysToEnd, work) {
  const home = mkdtempSync(join(tmpdir(), 'bench-terminal-'));
  writeFileSync(join(home, '.bashrc'), "PS1='$ '\n");
  const terminal = spawn(
    'script',
    ['-qec', `stty cols 80 rows 24; cd; exec ${command}`, '/dev/null'],
    {
      env: { ...process.env, HOME: home, TERM: 'xterm', LANG: 'C.UTF-8', SHELL: '/bin/sh' },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  const ended = new Promise((resolve) => terminal.once('close', resolve));
  try {
    return await work(terminal);
  } finally {
    terminal.stdin.write(keysToEnd);
    await ended;
    rmSync(home, { recursive: true, force: true });
  }
}

/** Waits until the terminal has shown a text. */
export async function until(stream, text) {
  let seen = '';
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    seen += chunk;
    if (seen.includes(text)) return;
  }
  throw new Error(`The program ended before it showed '${text}':\n${seen}`);
}
