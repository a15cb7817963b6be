import type { TodoItem, TodoStatus } from '../../../src/todo/todo-fields.ts';
import type { TodoState } from '../../../src/todo/todo-version.ts';

/** Items from lines such as `x Build`, `> Test`, `- Ship`: completed, in progress and pending. */
export function todos(...lines: string[]): TodoItem[] {
  const status: Record<string, TodoStatus> = { x: 'completed', '>': 'in_progress', '-': 'pending' };
  return lines.map((line) => ({
    content: line.slice(2),
    activeForm: `Doing ${line.slice(2)}`,
    status: status[line.charAt(0)] ?? 'pending',
  }));
}

/** Those of a text, `x Build | > Test`. */
export const todosIn = (text: string): TodoItem[] => todos(...text.split(' | ').filter(Boolean));

export function stateOf(items: TodoItem[]): TodoState {
  return { items, updatedAt: new Date(0) };
}

/** `count` items: the first `completed` are done, the next is in progress. */
export function plan(count: number, completed: number): TodoItem[] {
  return todos(
    ...Array.from({ length: count }, (_, i) => {
      const mark = i < completed ? 'x' : i === completed ? '>' : '-';
      return `${mark} step ${i + 1}`;
    }),
  );
}
