import type { AgentBashHandler, CommandResult, Invocation } from '../command.ts';
import { DEFAULT_SETTINGS, type SettingsReading } from '../settings.ts';
import { refusal } from './refusal.ts';
import { validateTodoList } from './todo-schema.ts';
import { type TodoItem, type TodoStore, todoStore } from './todo-store.ts';
import helpPage from './todo-write.md';

const SHORT_USAGE = `Usage: TodoWrite '{"todos":[...]}'\n`;
const USAGE = `Usage: TodoWrite '{"todos":[{"content":"...","activeForm":"...","status":"pending"}]}'\n`;

/** `TodoWrite`: replaces the whole list by the one given as JSON, or says what is wrong and leaves it untouched. */
export class TodoWriteHandler implements AgentBashHandler {
  readonly name = 'TodoWrite';
  readonly #store: TodoStore;
  readonly #settings: () => SettingsReading;

  /** @param settings Asked at each call, so that a change counts at once. Its default is the defaults. */
  constructor(
    store: TodoStore = todoStore,
    settings: () => SettingsReading = () => ({ settings: DEFAULT_SETTINGS, warnings: [] }),
  ) {
    this.#store = store;
    this.#settings = settings;
  }

  async execute({ argv, stdin }: Invocation): Promise<CommandResult> {
    if (argv[0] === '-h') return { stdout: USAGE, stderr: '', exitCode: 0 };
    if (argv[0] === '--help') return { stdout: helpPage, stderr: '', exitCode: 0 };
    const { settings } = this.#settings();
    const text = argv[0] === undefined || argv[0] === '-' ? await stdin() : argv[0];
    if (text.trim() === '') return refusal('Missing JSON parameter', { lines: [] }, SHORT_USAGE);
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return refusal('Invalid JSON format', { lines: ['not JSON'] }, USAGE);
    }
    const validation = validateTodoList(value, settings);
    if ('problems' in validation) return refusal('Validation failed', validation.problems);
    this.#store.update(validation.items);
    return { stdout: summary(validation.items), stderr: '', exitCode: 0 };
  }
}

function summary(items: readonly TodoItem[]): string {
  const count = (status: string) => items.filter((item) => item.status === status).length;
  return `Todo list updated: ${count('completed')} completed, ${count('in_progress')} in_progress, ${count('pending')} pending\n`;
}
