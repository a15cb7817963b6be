import type { ListName } from '../state/list-paths.ts';
import { pathName } from '../state/path-name.ts';

/** The versions of a todo list and of a list of tasks; undefined for no list. */
export interface Versions {
  readonly todos: number | undefined;
  readonly tasks: number | undefined;
}

/**
 * The versions of two lists as an interactive shell knows them: by the paths of their head files, which it finds without
 * Node. For lists on a server, Node makes up the same.
 */
export class HeadNames {
  readonly #todos: string;
  readonly #tasks: string;

  constructor({ session, agent }: ListName, taskList: string) {
    this.#todos = `/${pathName(session)}/${pathName(agent)}/head-`;
    this.#tasks = `/tasks~/${pathName(taskList)}/head-`;
  }

  /** The paths for these versions, a line each. */
  of({ todos, tasks }: Versions): string {
    return (todos ? `${this.#todos}${todos}-\n` : '') + (tasks ? `${this.#tasks}${tasks}-\n` : '');
  }

  /** The versions that these paths name. */
  read(heads: string): Versions {
    const versionAfter = (start: string) => {
      const at = heads.indexOf(start);
      return at < 0 ? undefined : Number.parseInt(heads.slice(at + start.length), 10);
    };
    return { todos: versionAfter(this.#todos), tasks: versionAfter(this.#tasks) };
  }
}
