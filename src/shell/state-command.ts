import { type CommandResult, done, EXIT_CODES } from '../command/agent-command.ts';
import { HELP_OPTIONS, wrongUsage } from '../command/options.ts';
import { perform } from '../command/perform.ts';
import { storageTrouble } from '../command/replies.ts';
import type { Environment } from '../environment.ts';
import { inQuotes, safeText } from '../safe-text.ts';
import { readSettings, type Settings } from '../settings/settings.ts';
import { listKey, taskListKey } from '../state/list-paths.ts';
import { StateError } from '../state/state-error.ts';
import { openTaskList } from '../tasks/open-task-store.ts';
import { TodoLists } from '../todo/todo-lists.ts';
import { copyLists, openLists } from './copy-lists.ts';
import helpPage from './state-command.md';

const FORM = {
  options: HELP_OPTIONS,
  usage: 'agent-shell state [init | copy FROM TO]',
  purpose: 'use the lists',
  helpPage: () => helpPage,
};

/** What is around the command. */
export interface World {
  readonly environment: Environment;
  readonly directory: string;
}

/** `agent-shell state`: where lists live, whether they can be reached there, and how to move them elsewhere. */
export function stateCommand(argv: readonly string[], world: World): Promise<CommandResult> {
  const { settings } = readSettings(world.environment, world.directory);
  // A copy may take long.
  const limits = argv[0] === 'copy' ? { ...settings, stateUrl: undefined } : settings;
  const read = () => ({ settings: limits, warnings: [] });
  const wrong = (problem: string) => wrongUsage(problem, `Usage: ${FORM.usage}\n`);
  return perform(FORM, argv, read, async (parsed) => {
    if ('problem' in parsed) return wrong(parsed.problem);
    const [word, from, to, ...more] = parsed.rest;
    if (word === undefined) return show(settings, world);
    if (word === 'init' && from === undefined) return init(settings, world);
    if (word === 'copy' && from && to && more.length === 0) return copy(from, to, settings, world);
    return wrong(
      word === 'copy'
        ? 'copy takes two places, each a folder or a URL'
        : `state takes init or copy, received ${inQuotes(parsed.rest.join(' '))}`,
    );
  });
}

async function show(settings: Settings, { environment, directory }: World): Promise<CommandResult> {
  const lists = new TodoLists(environment, directory, settings);
  const { server } = lists;
  const lines: string[] = [];
  const text = () => lines.map((line) => `${safeText(line, 400)}\n`).join('');
  try {
    const engine = await server?.engine();
    lines.push(
      engine ? `Lists live on ${engine.name}.` : `Lists live in files, in ${lists.folder}.`,
    );
    if (engine) lines.push(...(await engine.status()));
    const tell = async (key: string, read: () => Promise<[number, string]>) => {
      const start = performance.now();
      const [version, size] = await read();
      const ms = (performance.now() - start).toFixed(1);
      lines.push(
        version === 0
          ? `It does not exist yet; looking for it took ${ms} ms.`
          : `It is at version ${version}, with ${size}; reading it took ${ms} ms.`,
      );
      await lists.lists.checkWriting(key);
      if (server) lines.push('You may write it.');
    };
    const { taskList } = settings;
    // On a server, a team does not need to name a session.
    if (!server || settings.session !== undefined || taskList === undefined) {
      const name = lists.name({});
      lines.push(`Your list is that of session ${name.session}, agent ${name.agent}.`);
      await tell(listKey(name), async () => {
        const { version, items } = await lists.open({}).read();
        return [version, `${items.length} items`];
      });
    }
    if (taskList !== undefined) {
      lines.push(`Your team's tasks are in list ${taskList}.`);
      await tell(taskListKey(taskList), async () => {
        const store = openTaskList(lists, taskList, settings.agent);
        const { version, graph } = await store.read();
        return [version, `${graph.tasks.size} tasks`];
      });
    }
    return done(text());
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    return { ...storageTrouble(`Cannot ${FORM.purpose}`, error), stdout: text() };
  } finally {
    await lists.close();
  }
}

async function init(settings: Settings, { environment, directory }: World): Promise<CommandResult> {
  const lists = new TodoLists(environment, directory, settings);
  try {
    const engine = await lists.server?.engine();
    if (engine === undefined) {
      throw new StateError('lists live in files, which need no init; set TODO_STATE_URL first');
    }
    await engine.init();
    return done(`Ready for lists: ${engine.name}\n`);
  } finally {
    await lists.close();
  }
}

async function copy(
  from: string,
  to: string,
  { stateTimeout }: Settings,
  { environment, directory }: World,
): Promise<CommandResult> {
  const options = { environment, directory, timeoutMs: stateTimeout * 1000 };
  const [source, target] = [openLists(from, options, true), openLists(to, options, false)];
  try {
    let stdout = '';
    let stderr = '';
    for await (const { list, versions, problem } of copyLists(source, target)) {
      if (problem === undefined) stdout += `${list}: ${versions} versions, compared\n`;
      else stderr += `Error: ${list}: ${safeText(problem, 400)}\n`;
    }
    const name = safeText(await source.name(), 400);
    if (stdout + stderr === '') stdout = `There are no lists in ${name}.\n`;
    return { stdout, stderr, exitCode: stderr === '' ? 0 : EXIT_CODES.storageTrouble };
  } finally {
    await Promise.all([source.close(), target.close()]);
  }
}
