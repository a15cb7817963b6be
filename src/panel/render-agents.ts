import { truncate } from '../terminal/text.ts';
import type { TodoState } from '../todo/todo-store.ts';
import { MAX_ROWS, MIN_BOX_COLUMNS, printable, type RenderOptions } from './render-list.ts';
import { renderTodos } from './render-todos.ts';
import { createTheme } from './theme.ts';

/** The list of one agent. */
export interface AgentList {
  readonly agent: string;
  readonly state: TodoState;
}

const LEAST_ROWS = 3;
/** The row of the cursor, and the one that counts who found no room. */
const OTHER_ROWS = 2;

type AgentsOptions = Omit<RenderOptions, 'title' | 'elapsedMs' | 'bright'>;

/**
 * The lines of the panels of several agents, one below the other, as many as the screen has room for. Each has the
 * agent's name in its frame or, where there is no room for one, above it; who has no items has no panel.
 */
export function renderAgents(lists: readonly AgentList[], options: AgentsOptions): string[] {
  const { rows = Number.POSITIVE_INFINITY, theme = createTheme() } = options;
  const busy = lists.filter(({ state }) => state.items.length > 0);
  const room = rows - OTHER_ROWS;
  const shown = busy.slice(0, Math.max(1, Math.floor(room / LEAST_ROWS)));
  const height = Math.min(MAX_ROWS, Math.floor(room / shown.length));
  const panels = shown.flatMap((list) => renderAgent(list, height, options));
  const hidden = busy.length - shown.length;
  return hidden === 0 ? panels : [...panels, theme.paint.pending(`${hidden} more`)];
}

function renderAgent(
  { agent, state }: AgentList,
  height: number,
  options: AgentsOptions,
): string[] {
  const { columns, theme = createTheme() } = options;
  const isBoxed = columns >= MIN_BOX_COLUMNS;
  // A panel takes at most half of the rows that it is given.
  const rows = 2 * (isBoxed ? height : height - 1);
  const panel = renderTodos(state, { ...options, title: agent, rows });
  if (isBoxed) return panel;
  return [truncate(printable(agent, theme), columns - 1, theme.ellipsis), ...panel];
}
