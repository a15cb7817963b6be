import type { TodoStore } from '../todo/todo-store.ts';
import { renderTodos } from './render-todos.ts';
import { type PanelStream, Screen } from './screen.ts';
import { type Environment, themeFor } from './theme.ts';

/** When a panel is drawn: `auto` on a terminal that can, `plain` as one line per change. */
export type PanelMode = 'auto' | 'always' | 'never' | 'plain';

export interface TaskPanelOptions {
  store: TodoStore;
  stream: PanelStream;
  env: Environment;
  mode?: PanelMode;
}

/** Shows the list of a store on a terminal, and keeps it in sight. */
export class TaskPanel {
  readonly screen: Screen;
  readonly #unsubscribe: () => void;

  constructor({ store, stream, env, mode = 'auto' }: TaskPanelOptions) {
    this.screen = new Screen(stream);
    const live =
      mode === 'always' || (mode === 'auto' && stream.isTTY === true && env.TERM !== 'dumb');
    const theme = themeFor(stream, env);
    const draw = () => {
      const { columns, rows } = this.screen;
      this.screen.setPanel(renderTodos(store.get(), { columns, rows, theme }));
    };
    this.#unsubscribe = live ? store.onChange(draw) : () => {};
  }

  dispose(): void {
    this.#unsubscribe();
  }
}
