import { homedir } from 'node:os';
import type { AgentBashHandler } from '../command/agent-command.ts';
import { Guide } from '../guidance/guide.ts';
import { GUIDANCE_RULES } from '../guidance/rules.ts';
import { TaskGuide } from '../guidance/task-guide.ts';
import { agentHandlers } from '../router/agent-handlers.ts';
import { safeText } from '../safe-text.ts';
import type { Settings } from '../settings.ts';
import helpPage from '../shell/agent-shell.md';
import { type Arguments, parseArguments } from '../shell/arguments.ts';
import { runLine } from '../shell/run-line.ts';
import { type ShellList, shellList } from '../shell/shell-list.ts';
import { type ShownLists, showChanges } from '../shell/show-changes.ts';
import { writeResult } from '../shell/write-result.ts';
import { taskCommands } from '../tasks/task-commands.ts';
import { taskSource } from '../tasks/task-rows.ts';
import { codeOf, isTerminal, writeAll } from '../terminal/synchronous-io.ts';
import { FileLists } from '../todo/file-lists.ts';

type ShellArguments = Extract<
  Arguments,
  { list: object; mode: Exclude<Arguments['mode'], 'watch'> }
>;

const USAGE_ERROR = 2;
const MAX_MESSAGE = 200;

async function main(): Promise<number> {
  const options = parseArguments(process.argv.slice(2));
  switch (options.mode) {
    case 'help':
      writeAll(1, helpPage);
      return 0;
    case 'version':
      writeAll(1, `${PACKAGE_VERSION}\n`);
      return 0;
    case 'prompt': {
      const { systemPrompt } = await import('../guidance/system-prompt.ts');
      const { source, tasks, settings } = shellList({});
      const withTasks = options.tasks || settings().settings.tasksInPrompt;
      const commands = [
        ...agentHandlers(source, settings),
        ...(withTasks ? taskCommands(tasks) : []),
      ];
      writeAll(1, systemPrompt({ commands }));
      return 0;
    }
    case 'usage-error':
      complain(`${safeText(options.message, MAX_MESSAGE)}; see agent-shell --help`);
      return USAGE_ERROR;
    case 'sessions':
      return (await import('../watch/sessions.ts')).sessions(options.argv);
    case 'hook':
      await import('./agent-hook.ts');
      return 0;
    case 'prime': {
      const { listInContext } = await import('../guidance/list-in-context.ts');
      const lists = new FileLists(process.env, process.cwd());
      writeAll(1, listInContext(lists.open({}).get().items));
      return 0;
    }
    case 'setup': {
      const { setup } = await import('../setup/setup.ts');
      const world = { environment: process.env, directory: process.cwd(), home: homedir() };
      return writeResult('agent-shell', setup(options.argv, world));
    }
    case 'watch': {
      const { watch } = await import('../watch/watch.ts');
      endWithReader();
      return watch(options);
    }
    default:
      return runShell(options, shellList(options.list));
  }
}

async function runShell(options: ShellArguments, list: ShellList): Promise<number> {
  const { tasks, settings } = list;
  const unnamedTasks = (of: Settings) => tasks.open(undefined, of);
  const taskGuide = new TaskGuide({ tasks: unnamedTasks, settings });
  const handlers = [
    ...agentHandlers(list.source, settings),
    ...taskCommands(tasks).map((handler) => taskGuide.guided(handler)),
  ];
  const shown = { store: list.shown, tasks: taskSource(unnamedTasks(settings().settings)) };
  const guide = new Guide({
    store: list.shown,
    rules: GUIDANCE_RULES,
    settings: () => settings().settings,
    tasks: taskGuide,
  });
  switch (options.mode) {
    case 'jsonl': {
      const { BashRouter } = await import('../router/bash-router.ts');
      const { serveJsonl } = await import('../shell/jsonl.ts');
      endWithReader();
      await serveJsonl(new BashRouter({ handlers, guide }), process.stdin, process.stdout);
      return 0;
    }
    case 'interactive':
      if (isTerminal(0)) {
        endWithReader();
        const { runInteractive } = await import('../shell/repl.ts');
        return runInteractive({ handlers, guide, shown, panelMode: options.panel });
      }
      return asBash({ ...options, mode: 'script', argv: [] }, handlers, guide, shown);
    case 'line':
    case 'script':
      return asBash(options, handlers, guide, shown);
  }
}

async function asBash(
  options: Extract<Arguments, { mode: 'line' | 'script' }>,
  handlers: readonly AgentBashHandler[],
  guide: Guide,
  shown: ShownLists,
): Promise<number> {
  const byName = new Map(handlers.map((handler) => [handler.name, guide.guided(handler)]));
  const showEnd = await showChanges(shown, options.panel);
  const exitCode =
    options.mode === 'line'
      ? await runLine(options.line, options.parameters, byName)
      : await import('../shell/run-bash.ts').then(({ runBash }) =>
          runBash(options.argv.length > 0 ? ['--', ...options.argv] : [], byName),
        );
  showEnd();
  return exitCode;
}

/**
 * For output that is written while the program goes on: it ends with its reader, quietly where a pipe's reader went
 * away, as `head` does, or the terminal did.
 */
function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exitCode = 1;
    if (error.code !== 'EPIPE' && error.code !== 'EIO') complain(`write error: ${error.message}`);
    process.exit();
  });
}

function complain(message: string): void {
  try {
    writeAll(2, `agent-shell: ${message}\n`);
  } catch {
    // Where standard error is gone too, nobody is left to be told.
  }
}

main().then(
  (exitCode) => {
    process.exitCode = exitCode;
  },
  (error: unknown) => {
    process.exitCode = 1;
    if (codeOf(error) === 'EPIPE') return;
    complain(error instanceof Error ? error.message : String(error));
  },
);
