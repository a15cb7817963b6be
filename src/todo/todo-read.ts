import type { AgentBashHandler, CommandResult, Invocation } from '../command/agent-command.ts';
import {
  HELP_OPTIONS,
  helpReply,
  type Options,
  parseOptions,
  wrongUsage,
} from '../command/options.ts';
import { withStorageTrouble } from '../command/storage-trouble.ts';
import { inQuotes } from '../safe-text.ts';
import { DEFAULT_SETTINGS, type SettingsSource } from '../settings.ts';
import { listJson, listLine, listText } from './list-text.ts';
import type { TodoList } from './todo-list.ts';
import helpPage from './todo-read.md';
import { LIST_OPTIONS, openSource, type TodoSource } from './todo-source.ts';
import { type TodoVersion, todoStore } from './todo-store.ts';
import { hearUser } from './user-changes.ts';
import { historyText, notKept } from './version-texts.ts';

const USAGE =
  'Usage: TodoRead [--json | --line] [--at VERSION | --history] [--session NAME] [--agent NAME]\n';
const OPTIONS = {
  '--json': 'flag',
  '--line': 'flag',
  '--at': 'version',
  '--history': 'flag',
  ...LIST_OPTIONS,
  ...HELP_OPTIONS,
} as const;

type ReadOptions = Options<typeof OPTIONS>;

/** `TodoRead`: shows the list, for a model to read or, with `--json`, for a program. What a person changed is noted on
 * stderr, once; it changes nothing else. */
export class TodoReadHandler implements AgentBashHandler {
  readonly name = 'TodoRead';
  readonly summary = 'shows your task list';
  readonly #source: TodoSource;
  readonly #settings: SettingsSource;

  /** @param settings Asked at each call for whose list it is. Without it the defaults hold. */
  constructor(
    source: TodoSource = todoStore,
    settings: SettingsSource = () => ({ settings: DEFAULT_SETTINGS, warnings: [] }),
  ) {
    this.#source = source;
    this.#settings = settings;
  }

  /**
   * Exit code 0; 1 for a version that is not kept; 2 for an argument that it does not know; 3 where the list cannot be
   * read, and stderr names the file.
   */
  async execute(call: Pick<Invocation, 'argv' | 'env'>): Promise<CommandResult> {
    const parsed = parseOptions(call.argv, OPTIONS);
    if ('problem' in parsed) return wrongUsage(parsed.problem, USAGE);
    const { options, rest } = parsed;
    const help = helpReply(options, USAGE, () => helpPage);
    if (help) return help;
    if (rest[0] !== undefined) {
      return wrongUsage(`Unexpected argument ${inQuotes(rest[0])}`, USAGE);
    }
    return withStorageTrouble('Cannot read the list', async () => {
      const list = await openSource(
        this.#source,
        options,
        this.#settings(call).settings,
        call.env && this.#settings,
      );
      return 'problem' in list ? wrongUsage(list.problem, USAGE) : read(list, options);
    });
  }
}

async function read(list: TodoList, options: ReadOptions): Promise<CommandResult> {
  const { '--json': asJson, '--line': asLine, '--at': at } = options;
  if (asJson && asLine) return wrongUsage('--json and --line exclude each other', USAGE);
  if (options['--history']) {
    if (asJson || asLine || at !== undefined) {
      return wrongUsage('--history takes neither --json nor --line nor --at', USAGE);
    }
    return printed(historyText(await list.history()));
  }
  if (at === undefined) {
    // A status line asks again and again, and no agent reads it.
    const notes = asLine ? [] : (await hearUser(list)).map((note) => `Note: ${note}\n`);
    return { ...shown(await list.read(), options), stderr: notes.join('') };
  }
  const kept = await list.history();
  const version = kept.find((entry) => entry.version === at);
  return version === undefined ? notKept(at, kept) : shown(version, options);
}

function shown(version: TodoVersion, options: ReadOptions): CommandResult {
  if (options['--json']) return printed(listJson(version));
  return printed(options['--line'] ? listLine(version.items) : listText(version.items));
}

function printed(stdout: string): CommandResult {
  return { stdout, stderr: '', exitCode: 0 };
}
