import { homedir } from 'node:os';
import { EXIT_CODES } from '../base/command/agent-command.ts';
import { exitCodeOf } from '../base/command/replies.ts';
import { StateError } from '../base/command/state-error.ts';
import { safeText } from '../base/safe-text.ts';
import { orElse, randomHex, writeAll } from '../base/system/files.ts';
import helpPage from '../cli/agent-shell.md';
import { parseArguments } from '../cli/arguments.ts';
import primePage from '../cli/prime.md';
import { releaseAtExit, type ShellList, shellList } from '../cli/shell-list.ts';
import { FollowedTasks } from '../guidance/followed-tasks.ts';
import { Guide } from '../guidance/guide.ts';
import { connectToServers } from '../servers/server-storage.ts';
import { agentHandlers } from '../shell/router/agent-handlers.ts';
import { TASK_FORMS, taskCommands } from '../tasks/task-commands.ts';
import { TodoHome } from '../todo/todo-home.ts';
import { writeResult } from './run-executable.ts';

connectToServers();

async function runAgentShell(): Promise<number> {
  const argv = process.argv.slice(2);
  const options = parseArguments(argv, process.env);
  const isForBash = options.mode === 'bash' || options.mode === 'usage-error';
  if (isForBash && process.title !== 'agent-shell') return runAsBash(argv);
  switch (options.mode) {
    case 'help':
      writeAll(1, options.of === 'prime' ? primePage : shellPage());
      return 0;
    case 'version':
      writeAll(1, `${PACKAGE_VERSION}\n`);
      return 0;
    case 'prompt':
      return printSystemPrompt(options.tasks);
    case 'usage-error':
      complain(options.text);
      return EXIT_CODES.wrongUsage;
    case 'sessions': {
      const { sessionsCommand } = await import('../viewer/sessions.ts');
      return writeResult('agent-shell', await sessionsCommand(options.argv, process.env));
    }
    case 'completions': {
      const { completions } = await import('../cli/completions.ts');
      return writeResult('agent-shell', completions(options.argv));
    }
    case 'prime':
      return printList();
    case 'state': {
      const { stateCommand } = await import('../cli/state-command.ts');
      const world = { environment: process.env, directory: process.cwd() };
      return writeResult('agent-shell', await stateCommand(options.argv, world));
    }
    case 'setup': {
      const { setup } = await import('../harness/setup/setup.ts');
      const [, started = ''] = process.argv;
      const caller = { environment: process.env, directory: process.cwd() };
      // A user of a container may have no home.
      const world = { ...caller, started, home: orElse(homedir, '/') };
      const say = (text: string) => writeAll(1, text);
      return writeResult('agent-shell', setup(options.argv, world, say));
    }
    case 'watch': {
      const { watch } = await import('../viewer/watch.ts');
      endWithReader();
      return watch(options);
    }
    case 'jsonl': {
      const id = randomHex(8);
      return runJsonl(shellList(options.list, id), id);
    }
    case 'bash':
      throw new Error('agent-shell.sh gave Node what is for bash');
  }
}

function shellPage(): string {
  const names = TASK_FORMS.map(({ name }) => name).join(' ');
  return helpPage.replace('{taskCommands}', names.replace(/(.{1,76})(?: |$)/g, '  $1\n').trimEnd());
}

async function printSystemPrompt(asksForTasks: boolean): Promise<number> {
  const { systemPrompt } = await import('../guidance/system-prompt.ts');
  const { source, tasks, settings } = shellList({});
  const limits = settings().settings;
  const { agent, tasksInPrompt } = limits;
  const withTasks = asksForTasks || tasksInPrompt;
  const commands = [...agentHandlers(source, settings), ...(withTasks ? taskCommands(tasks) : [])];
  writeAll(1, systemPrompt({ commands, limits, agent }));
  return 0;
}

async function printList(): Promise<number> {
  const { listInContext } = await import('../guidance/list-in-context.ts');
  const home = new TodoHome(process.env, process.cwd());
  const list = home.open({});
  const { items, by } = await list.read();
  await home.close();
  writeAll(2, home.warnings.map((line) => `${line}\n`).join(''));
  writeAll(1, listInContext(items, by === list.author ? undefined : by));
  return 0;
}

async function runJsonl(list: ShellList, id: string): Promise<number> {
  const { settings } = list;
  const release = releaseAtExit(settings().settings, id);
  const tasks: typeof list.tasks = {
    ...list.tasks,
    open: (named, of) => {
      const name = named ?? of.taskList;
      if (name !== undefined) release.alsoIn(name);
      return list.tasks.open(named, of);
    },
  };
  const handlers = [...agentHandlers(list.source, settings), ...taskCommands(tasks)];
  const { shared } = list;
  shared.follow();
  const guide = new Guide({
    store: { get: () => shared.seen },
    shared,
    settings: () => settings().settings,
    isSubagent: list.isSubagent,
    tasks: new FollowedTasks(tasks),
  });
  const { BashRouter } = await import('../shell/router/bash-router.ts');
  const { serveJsonl } = await import('../cli/jsonl.ts');
  endWithReader();
  await serveJsonl({
    router: new BashRouter({ handlers, guide }),
    input: process.stdin,
    output: process.stdout,
    version: PACKAGE_VERSION,
    todos: shared,
    tasks: () => tasks.open(undefined, settings().settings),
  });
  await release.end();
  await list.close();
  return 0;
}

/** For `node agent-shell.cjs`: runs the same file with sh, which execs bash. Node has no exec. */
async function runAsBash(argv: readonly string[]): Promise<number> {
  const executable = process.argv[1] ?? '';
  const { spawn } = await import('node:child_process');
  // Before the shell starts: a signal would end this process and not the shell.
  const signals = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT'] as const;
  for (const signal of signals) process.on(signal, () => shell.kill(signal));
  // A shell does not notice that its parent was killed with SIGKILL. The guard reads the shell's id, then the end of its input.
  const guard = spawn('/bin/sh', ['-c', 'read -r pid && ! read -r _ && kill -9 "$pid"'], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  guard.on('error', () => {});
  const begin = 'echo $$ >&3; exec "$0" "$@" 3>&-';
  const shell = spawn('/bin/sh', ['-c', begin, executable, ...argv], {
    stdio: ['inherit', 'inherit', 'inherit', guard.stdin],
  });
  return new Promise((resolve, reject) => {
    shell.once('error', reject);
    shell.once('exit', (exitCode, signal) => {
      guard.kill('SIGKILL');
      if (signal === null) return resolve(exitCode ?? 1);
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    });
  });
}

/** Ends the program when its output cannot be written; silently if the reader of a pipe or the terminal has gone. */
function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    const isGone = error.code === 'EPIPE' || error.code === 'EIO';
    if (!isGone) complain(`agent-shell: write error: ${error.message}\n`);
    process.exit(1);
  });
}

function complain(message: string): void {
  // Standard error may be closed, too.
  orElse(() => writeAll(2, message), undefined);
}

runAgentShell().then(
  (exitCode) => {
    process.exitCode = exitCode;
  },
  (error: NodeJS.ErrnoException) => {
    process.exitCode = error instanceof StateError ? exitCodeOf(error) : 1;
    if (error.code === 'EPIPE') return;
    const isOfDirectory = error.syscall === 'uv_cwd';
    const deleted = 'the current directory was deleted; start agent-shell in another one';
    complain(`agent-shell: ${isOfDirectory ? deleted : safeText(error.message)}\n`);
  },
);
