import { agentHandlers } from '../router/agent-handlers.ts';
import { readSettings } from '../settings.ts';
import { todoStore } from '../todo/todo-store.ts';
import helpPage from './agent-shell.md';
import { parseArguments } from './arguments.ts';

const USAGE_ERROR = 2;

async function main(): Promise<number> {
  const options = parseArguments(process.argv.slice(2));
  const handlers = agentHandlers(todoStore, () => readSettings(process.env, process.cwd()));
  const byName = new Map(handlers.map((handler) => [handler.name, handler]));
  switch (options.mode) {
    case 'help':
      process.stdout.write(helpPage);
      return 0;
    case 'version':
      process.stdout.write(`${PACKAGE_VERSION}\n`);
      return 0;
    case 'usage-error':
      process.stderr.write(`agent-shell: ${options.message}; see agent-shell --help\n`);
      return USAGE_ERROR;
    case 'jsonl': {
      const { BashRouter } = await import('../router/bash-router.ts');
      const { serveJsonl } = await import('./jsonl.ts');
      await serveJsonl(new BashRouter({ handlers }), process.stdin, process.stdout);
      return 0;
    }
    case 'line': {
      const { runLine } = await import('./run-as-bash.ts');
      return runLine(options.line, options.parameters, byName);
    }
    case 'script': {
      const { runBash } = await import('./run-as-bash.ts');
      return runBash(options.argv, byName);
    }
    case 'interactive': {
      if (process.stdin.isTTY) {
        const { runInteractive } = await import('./repl.ts');
        return runInteractive({ handlers, store: todoStore, panelMode: options.panel });
      }
      const { runBash } = await import('./run-as-bash.ts');
      return runBash([], byName);
    }
  }
}

// A reader that goes away, as `head` does, is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') {
    process.stderr.write(`agent-shell: write error: ${error.message}\n`);
  }
  process.exit(1);
});

main().then(
  (exitCode) => {
    process.exitCode = exitCode;
  },
  (error: unknown) => {
    process.stderr.write(`agent-shell: ${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  },
);
