import { printable } from '../panel/render-list.ts';
import type { ShownTimes } from '../panel/shown-times.ts';
import { displayWidth, truncate } from '../terminal/text.ts';
import type { TodoVersion } from '../todo/todo-version.ts';
import { boardTasks, shownChange } from './board.ts';
import { EMPTY_LINE, join, type Line, line, spread } from './lines.ts';
import { TERSE_COLUMNS, type ViewerState } from './model.ts';
import { type ItemLook, timesOf } from './render-items.ts';
import { pageOf, shownList, shownVersions } from './shown.ts';

/** One row on a small screen, otherwise up to two and a blank one. */
export function headerLines(state: ViewerState, look: ItemLook, isRoomy: boolean): Line[] {
  const { theme, columns } = look;
  const { name, version } = pageOf(state);
  const { session } = state.known;
  const list = shownList(state);
  const of = session === undefined ? '' : `${theme.unicode ? ' · ' : ' - '}${session}`;
  const titled = (words: string, right = ''): Line =>
    spread(printable(words, theme), right, columns, {
      ellipsis: theme.ellipsis,
      paint: theme.paint.strong,
      paintRight: theme.paint.faint,
    });
  const whole = (...lines: Line[]) => (isRoomy ? [...lines, EMPTY_LINE] : lines.slice(0, 1));
  if (name === 'help') return whole(titled('Keys'));
  if (name === 'sessions') return whole(titled('Lists of all sessions'));
  if (name === 'agents') return whole(titled(`All agents${of}`));
  if (name === 'taskHistory') return whole(titled(`History of the team's tasks${of}`));
  const change = shownChange(state);
  if (change) {
    const when = `${look.times.at(change.at)} by ${change.by}`;
    const title = `Version ${version} of the team's tasks, ${when}`;
    return whole(titled(title), boardProgress(state, look));
  }
  if (name === 'board' || name === 'taskVersion') {
    const { updatedAt } = state.known.tasks;
    const updated = updatedAt === undefined ? '' : `updated ${look.times.ago(updatedAt)}`;
    return whole(titled(`Team tasks${of}`, updated), boardProgress(state, look));
  }
  if (list === undefined) return whole(titled('todowrite'));
  const [newest] = list.versions;
  if (name === 'history') return whole(titled(`History of ${list.agent}${of}`));
  const updated = look.times.ago(+newest.updatedAt);
  if (name === 'version') {
    const shown = shownVersions(state)[0];
    const when = shown ? `${look.times.at(+shown.updatedAt)} by ${shown.by}` : '';
    return whole(titled(`Version ${version} of ${list.agent}, ${when}`), progress(state, look));
  }
  if (!isRoomy) return [join(terseProgress(state, look))];
  const isTerse = columns < TERSE_COLUMNS;
  const title = isTerse ? list.agent : `${list.agent}${of}`;
  return whole(titled(title, isTerse ? updated : `updated ${updated}`), progress(state, look));
}

/** The progress bar, the count, and the total time. */
function progress(state: ViewerState, look: ItemLook): Line {
  const { done, total } = countOf(state);
  const time = totalTime(state, look.times);
  return barLine(done, total, time, look);
}

function boardProgress(state: ViewerState, look: ItemLook): Line {
  const tasks = [...boardTasks(state).tasks.values()].filter(({ isArchived }) => !isArchived);
  const done = tasks.filter(({ status }) => status === 'completed').length;
  return barLine(done, tasks.length, '', look);
}

function barLine(done: number, total: number, time: string, { theme, columns }: ItemLook): Line {
  const percent = total === 0 ? 0 : Math.floor((100 * done) / total);
  const facts = `  ${done}/${total}  ${percent}%${time === '' ? '' : `  ${time}`}`;
  const width = columns - displayWidth(facts);
  if (width < 4) return line(truncate(facts.trim(), columns, theme.ellipsis));
  const filled = total === 0 ? 0 : Math.floor((width * done) / total);
  const [full, open] = theme.unicode ? ['█', '░'] : ['#', '.'];
  return join(
    line(full.repeat(filled), theme.paint.done),
    line(open.repeat(width - filled), theme.paint.faint),
    line(facts),
  );
}

/** The whole header in one row: agent, progress, time. */
function terseProgress(state: ViewerState, { theme, times, columns }: ItemLook): Line {
  const { done, total } = countOf(state);
  const { agent = '' } = shownList(state) ?? {};
  const time = totalTime(state, times);
  return spread(printable(agent, theme), `${done}/${total} ${time}`.trim(), columns, {
    ellipsis: theme.ellipsis,
    paint: theme.paint.strong,
  });
}

function countOf(state: ViewerState): { done: number; total: number } {
  const items = shownVersions(state)[0]?.items ?? [];
  return {
    done: items.filter(({ status }) => status === 'completed').length,
    total: items.length,
  };
}

/** How long the plan has been worked on: until now, or until it was completed. */
function totalTime(state: ViewerState, times: ShownTimes): string {
  const versions = shownVersions(state);
  const [newest] = versions;
  if (newest === undefined || newest.items.length === 0) return '';
  const { at: begun, isKnown } = beginOf(versions);
  const mark = isKnown ? '' : '>';
  const isDone = newest.items.every(({ status }) => status === 'completed');
  if (isDone || pageOf(state).name === 'version') {
    const end = isDone ? Math.max(...timesOf(versions).since.values()) : +newest.updatedAt;
    return mark + times.lasted(end - begun);
  }
  return mark + times.running(begun);
}

interface Begin {
  /** In milliseconds since 1970. */
  readonly at: number;
  /** Whether the kept versions go back that far. */
  readonly isKnown: boolean;
}

/** A cache, so that each frame does not go through the whole history. */
const begins = new WeakMap<TodoVersion, Begin>();

/** When the current plan began. A version that shares no item with the previous one starts a new plan. */
function beginOf(versions: readonly TodoVersion[]): Begin {
  const first = versions.findIndex((version, index) => {
    const before = versions[index + 1];
    return begins.has(version) || before === undefined || !sharesItems(version, before);
  });
  const { version = 0, updatedAt = 0 } = versions[first] ?? {};
  const isOldest = first === versions.length - 1;
  const known = versions[first] && begins.get(versions[first]);
  const begin = known ?? { at: +updatedAt, isKnown: version === 1 || !isOldest };
  const [newest] = versions;
  if (newest) begins.set(newest, begin);
  return begin;
}

function sharesItems(one: TodoVersion, other: TodoVersion): boolean {
  const contents = new Set(one.items.map(({ content }) => content));
  return other.items.some(({ content }) => contents.has(content));
}
