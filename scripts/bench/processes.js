// Ways of running a process to its end.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
    child.on('close', (status) => {
      if (status !== 0) reject(new Error(`${line} ended with ${status}`));
      resolve(Buffer.concat(chunks).toString('utf8'));
    });
  });
}

/** The peak memory of an executable in MiB, as it reports at its end, after it has closed its outputs. NaN without a report. */
export function peakMebibytes(folder, name, ...argv) {
  const [hook, report] = [join(folder, 'hook.cjs'), join(folder, 'peak')];
  const write = `require('node:fs').writeFileSync(${JSON.stringify(report)}, String(process.resourceUsage().maxRSS))`;
  writeFileSync(hook, `process.on('exit', () => ${write})`);
  rmSync(report, { force: true });
  // Linux counts what a process held before its `exec`, which is what we hold; a bash in between holds little.
  const command = [process.execPath, '-r', hook, executable(name), ...argv];
  runToEnd('bash', ['--norc', '-c', '"$@"; exit', 'bash', ...command]);
  return existsSync(report) ? Number(readFileSync(report, 'utf8')) / 1024 : Number.NaN;
}
