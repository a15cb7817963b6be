import { spawn } from 'node:child_process';
import type { AgentBashHandler } from '../command/agent-command.ts';
import { AgentCommandHost, type RawArguments } from './agent-commands.ts';
import { findBash } from './find-program.ts';
import { PrivateFolder } from './private-folder.ts';

export interface InheritedBashOptions {
  /** Bash's arguments: `-c LINE`, a script, or none for a script on standard input. */
  argv: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  handlers: ReadonlyMap<string, AgentBashHandler>;
  raw?: RawArguments | undefined;
  /** Gets the function that sends a signal to this bash. */
  onStart: (sendSignal: (signal: NodeJS.Signals) => void) => void;
}

/** How bash ended: by itself or by a signal. */
export interface InheritedEnding {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
}

/**
 * Runs one bash on this process's own standard streams, in its process group and terminal: it is just as if bash had
 * been called in its place, but that the agent commands are on its PATH.
 */
export async function runInheritedBash(options: InheritedBashOptions): Promise<InheritedEnding> {
  const { argv, env, handlers, raw, onStart } = options;
  const bash = findBash(env);
  const folder = PrivateFolder.make(env, '.');
  try {
    const host = new AgentCommandHost({ directory: folder.path, bash, env, handlers });
    host.rawArguments = raw;
    try {
      return await new Promise((resolve, reject) => {
        const child = spawn(bash, argv, {
          argv0: 'bash',
          env: host.environment(env),
          stdio: 'inherit',
        });
        child.once('error', reject);
        child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
        onStart((signal) => child.kill(signal));
      });
    } finally {
      host.dispose();
    }
  } finally {
    folder.remove();
  }
}
