import type { Options } from '../command/options.ts';
import { TodoStore } from './todo-store.ts';

/** Opens the list of a session and an agent. What is not named is as it is for a command without these options. */
export type OpenList = (name: { session?: string; agent?: string }) => TodoStore;

/** The list of a command; or, where the command may be told to take another, what opens lists. */
export type TodoSource = TodoStore | OpenList;

/** The options that name a list. */
export const LIST_OPTIONS = { '--session': 'text', '--agent': 'text' } as const;

/** The list that the options name, or why there is none. */
export function openSource(
  source: TodoSource,
  { '--session': session, '--agent': agent }: Options<typeof LIST_OPTIONS>,
): TodoStore | { problem: string } {
  if (!(source instanceof TodoStore)) {
    return source({
      ...(session !== undefined && { session }),
      ...(agent !== undefined && { agent }),
    });
  }
  if (session === undefined && agent === undefined) return source;
  const option = session === undefined ? '--agent' : '--session';
  return {
    problem: `${option} is for lists in files; a shell keeps its list in files as agent-shell --session NAME`,
  };
}
