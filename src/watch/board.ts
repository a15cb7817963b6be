import type { Task, TaskStatus } from '../tasks/task.ts';
import type { KnownTasks, TaskChange, ViewerState } from './model.ts';

/** With more columns than this, the statuses stand side by side; with fewer, one below the other. */
const BOARD_COLUMNS = 66;

/** The tasks of one status, in the order in which the board shows them. */
export interface BoardSection {
  readonly status: TaskStatus;
  readonly title: string;
  readonly tasks: readonly Task[];
}

/** The change whose result the page shows; undefined for the current tasks. */
export function shownChange({ known, pages }: ViewerState): TaskChange | undefined {
  const page = pages.at(-1);
  if (page?.name !== 'taskVersion') return undefined;
  return known.taskHistory.find(({ version }) => version === page.version);
}

/** The tasks that the board shows: the current ones, or those of a version. */
export function boardTasks(state: ViewerState): KnownTasks {
  const change = shownChange(state);
  return change
    ? { tasks: change.tasks, since: new Map(), updatedAt: change.at }
    : state.known.tasks;
}

/** Whether the sections stand side by side. */
export function isWideBoard({ columns }: ViewerState): boolean {
  return columns > BOARD_COLUMNS;
}

/** The sections of the board, from left to right or top to bottom. */
export function boardSections(state: ViewerState): BoardSection[] {
  const { tasks, since } = boardTasks(state);
  const shown = [...tasks.values()].filter(({ isArchived }) => !isArchived);
  const section = (status: TaskStatus, title: string): BoardSection => ({
    status,
    title,
    tasks: shown.filter((task) => task.status === status),
  });
  const pending = section('pending', 'Pending');
  const begun = section('in_progress', 'In progress');
  // On a small screen, show what is being worked on first.
  const open = isWideBoard(state) ? [pending, begun] : [begun, pending];
  if (state.hidesCompleted) return open;
  // Latest first: there may be hundreds.
  const completed = section('completed', 'Completed');
  const latest = [...completed.tasks].sort(
    (a, b) => (since.get(b.id) ?? 0) - (since.get(a.id) ?? 0) || b.id - a.id,
  );
  return [...open, { ...completed, tasks: latest }];
}

/** How far to move in the list of tasks to reach the next or previous section, in the same row if possible. */
export function toNextSection(state: ViewerState, at: number, by: 1 | -1): number {
  if (!isWideBoard(state)) return by;
  let start = 0;
  const sections = boardSections(state)
    .filter(({ tasks }) => tasks.length > 0)
    .map(({ tasks: { length } }) => {
      start += length;
      return { start: start - length, length };
    });
  const here = sections.findIndex((section) => at < section.start + section.length);
  const [from, to] = [sections[here], sections[here + by]];
  if (from === undefined || to === undefined) return 0;
  return to.start + Math.min(at - from.start, to.length - 1) - at;
}
