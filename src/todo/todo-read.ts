import type { AgentBashHandler, CommandResult, Invocation } from '../command.ts';
import { safeText } from '../safe-text.ts';
import helpPage from './todo-read.md';
import { type TodoItem, type TodoState, type TodoStore, todoStore } from './todo-store.ts';

const USAGE = 'Usage: TodoRead [--json]\n';
const MAX_QUOTED_CHARACTERS = 40;
/** Controls, format characters, line separators: JSON may hold them as they are, a terminal should not see them. */
const NOT_PRINTED = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** `TodoRead`: shows the list, for a model to read or, with `--json`, for a program. Never changes it. */
export class TodoReadHandler implements AgentBashHandler {
  readonly name = 'TodoRead';
  readonly #store: TodoStore;

  constructor(store: TodoStore = todoStore) {
    this.#store = store;
  }

  /** Exit code 0, or 2 for an argument that it does not know. */
  async execute({ argv }: Pick<Invocation, 'argv'>): Promise<CommandResult> {
    const [option] = argv;
    if (option === '-h') return printed(USAGE);
    if (option === '--help') return printed(helpPage);
    const unknown = argv.find((argument) => argument !== '--json');
    if (unknown !== undefined) return wrongUsage(unknown);
    const state = this.#store.get();
    return printed(option === '--json' ? json(state) : text(state));
  }
}

function printed(stdout: string): CommandResult {
  return { stdout, stderr: '', exitCode: 0 };
}

function wrongUsage(argument: string): CommandResult {
  const quoted = `'${safeText(argument, MAX_QUOTED_CHARACTERS)}'`;
  return { stdout: '', stderr: `Error: Unexpected argument ${quoted}\n${USAGE}`, exitCode: 2 };
}

function text({ items }: TodoState): string {
  if (items.length === 0) return 'No todos.\n';
  const completed = items.filter((item) => item.status === 'completed').length;
  return `${items.map(line).join('\n')}\n\n(${completed}/${items.length} completed)\n`;
}

function line({ status, content, activeForm }: Readonly<TodoItem>): string {
  switch (status) {
    case 'completed':
      return `[x] ${safeText(content)}`;
    case 'in_progress':
      return `[>] ${safeText(content)} <- ${safeText(activeForm)}`;
    case 'pending':
      return `[ ] ${safeText(content)}`;
  }
}

function json({ items, updatedAt }: TodoState): string {
  return `${JSON.stringify({ todos: items, updatedAt }).replace(NOT_PRINTED, jsonEscape)}\n`;
}

function jsonEscape(character: string): string {
  let escaped = '';
  for (let unit = 0; unit < character.length; unit++) {
    escaped += `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`;
  }
  return escaped;
}
