// Ways of running a process to its end.
import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The executable of this checkout, as it was built last: `agent-shell`, or the name of a command. */
export function executable(name) {
  const file = name === 'agent-shell' ? 'agent-shell.cjs' : `commands/${name}`;
  return fileURLToPath(new URL(`../../dist/bin/${file}`, import.meta.url));
}

/** Runs a process and collects its output, as a harness does. */
export function processOf(command, ...argv) {
  return { run: () => runToEnd(command, argv) };
}

/** @param {import('node:child_process').SpawnSyncOptions} options */
export function runToEnd(command, argv, options = {}) {
  const stdio = ['ignore', 'pipe', 'pipe'];
  const { status, stderr, error } = spawnSync(command, argv, { stdio, ...options });
  if (error || status !== 0) throw error ?? new Error(`${command} ended with ${status}: ${stderr}`);
}

/** A bash for each line, with its output collected, as in a host without a session. */
export function collect(line) {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['--norc', '-c', line], { stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
  });
}

/** The peak memory of an executable in MiB, as it reports at its end. */
export function peakMebibytes(folder, name, ...argv) {
  const hook = join(folder, 'hook.cjs');
  writeFileSync(hook, `process.on('exit', () => console.error(process.resourceUsage().maxRSS))`);
  // Linux counts what a process held before its `exec`, which is what we hold; a bash in between holds little.
  const command = [process.execPath, '-r', hook, executable(name), ...argv];
  const { stderr } = spawnSync('bash', ['--norc', '-c', '"$@"; exit', 'bash', ...command], {
    encoding: 'utf8',
  });
  return Number(stderr.trim().split('\n').at(-1)) / 1024;
}
