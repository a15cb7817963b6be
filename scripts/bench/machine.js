import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';

/** Everything that the numbers depend on, without personal data. */
export function describeMachine() {
  const processors = cpus();
  const { stdout } = spawnSync('bash', ['--norc', '-c', 'echo "$BASH_VERSION"'], {
    encoding: 'utf8',
  });
  return {
    cpu: processors[0]?.model ?? 'unknown',
    cores: processors.length,
    node: process.versions.node,
    bash: stdout.trim(),
    platform: `${process.platform} ${process.arch}`,
  };
}
