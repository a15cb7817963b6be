import { type PanelStream, Screen } from '../terminal/screen.ts';
import type { TodoState } from '../todo/todo-store.ts';
import { renderAgents } from './render-agents.ts';
import { type Environment, type Theme, themeFor } from './theme.ts';

/** Shows the lists of several agents on a terminal, a box each, in the order of their names. */
export class AgentsPanel {
  readonly #screen: Screen;
  readonly #stream: PanelStream;
  readonly #theme: Theme;
  readonly #lists = new Map<string, TodoState>();

  constructor(stream: PanelStream, env: Environment) {
    this.#stream = stream;
    this.#theme = themeFor(stream, env);
    this.#screen = new Screen(stream, { wrapsRows: !env.TMUX });
    stream.on?.('resize', this.#resized);
  }

  /** Shows this list as that of the agent. */
  show(agent: string, state: TodoState): void {
    this.#lists.set(agent, state);
    this.#screen.setPanel(this.#render());
  }

  /** Writes other output above the panel. */
  write(text: string): void {
    this.#screen.writeOutput(text);
  }

  /** Leaves the panel's last state as ordinary text, with the cursor below it, and lets go of the stream. */
  dispose(): void {
    this.#stream.off?.('resize', this.#resized);
    this.#screen.close();
  }

  #render(): string[] {
    const { columns, rows } = this.#screen;
    const lists = [...this.#lists]
      .map(([agent, state]) => ({ agent, state }))
      .sort((a, b) => (a.agent < b.agent ? -1 : 1));
    return renderAgents(lists, { columns, rows, theme: this.#theme });
  }

  readonly #resized = (): void => {
    this.#screen.redraw(this.#render());
  };
}
