import type { TodoState } from '../todo/todo-store.ts';
import { MAX_ROWS, type RenderOptions } from './render-list.ts';
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

/**
 * The lines of the panels of several agents, one below the other, as many as the screen has room for. Each has the
 * agent's name in its frame; who has no items has no panel.
 */
export function renderAgents(
  lists: readonly AgentList[],
  options: Omit<RenderOptions, 'title' | 'elapsedMs' | 'bright'>,
): string[] {
  const { rows = Number.POSITIVE_INFINITY, theme = createTheme() } = options;
  const busy = lists.filter(({ state }) => state.items.length > 0);
  const room = rows - OTHER_ROWS;
  const shown = busy.slice(0, Math.max(1, Math.floor(room / LEAST_ROWS)));
  const height = Math.min(MAX_ROWS, Math.floor(room / shown.length));
  const panels = shown.flatMap(({ agent, state }) =>
    // It takes at most half of the rows that it is given.
    renderTodos(state, { ...options, title: agent, rows: 2 * height }),
  );
  const hidden = busy.length - shown.length;
  return hidden === 0 ? panels : [...panels, theme.paint.pending(`${hidden} more`)];
}
