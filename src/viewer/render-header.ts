import { isOpen } from '../base/command/status.ts';
import { agentName, printable, sessionName } from '../screen/panel/look.ts';
import { statusTimes } from '../screen/panel/status-times.ts';
import type { Theme } from '../screen/panel/theme.ts';
import { EMPTY_LINE, join, type Line, line, spread } from '../screen/terminal/lines.ts';
import { truncate } from '../screen/terminal/text.ts';
import type { ViewerState } from './model.ts';
import type { ItemLook } from './render-rows.ts';
import {
  isOfTeam,
  pageOf,
  progressOf,
  shownList,
  shownTasks,
  shownVersions,
  textInDetails,
} from './shown.ts';

/** From this many columns on, the header is one row. */
const WIDE_COLUMNS = 72;
const LEAST_BAR = 8;
const TEAMS_TASKS = "the team's tasks";

interface ViewerHeading {
  readonly title: string;
  readonly changed?: string;
  /** How long the plan has been worked on, or took. */
  readonly time?: string;
  readonly hasBar?: boolean;
}

/** One row, or two on a narrow screen with room. */
export function headerLines(state: ViewerState, look: ItemLook, isRoomy: boolean): Line[] {
  const { theme, columns } = look;
  const { title, changed = '', time = '', hasBar = false } = headingOf(state, look);
  const { done, total } = progressOf(state);
  const isDone = hasBar && total > 0 && done === total;
  const count = hasBar ? `${done}/${total}` : '';
  const { done: whole, faint, strong } = theme.paint;
  const paintRight = isDone ? whole : faint;
  const spreadOver = (right: string) =>
    spread(title, right, columns, { ellipsis: theme.ellipsis, paint: strong, paintRight });
  if (!isRoomy) return [spreadOver([count, time].filter(Boolean).join(' '))];
  if (!hasBar) return [spreadOver(changed)];
  const counted = (text: string) => line(`  ${text}`, isDone ? whole : undefined);
  if (columns < WIDE_COLUMNS) {
    const facts = counted([count, time].filter(Boolean).join('  '));
    return [spreadOver(changed), join(headerBar(columns - facts.width, state, look), facts)];
  }
  const remark = [time, changed].filter(Boolean).join(` ${theme.dot} `);
  const end = join(counted(count), line(`  ${remark}`, paintRight));
  const room = columns - end.width - 2;
  const start = line(truncate(title, room - LEAST_BAR, theme.ellipsis), strong);
  return [join(start, line('  '), headerBar(room - start.width, state, look), end)];
}

/** The terminal's title: how much is completed, and of what. */
export function viewerTitle(state: ViewerState, { theme }: Pick<ItemLook, 'theme'>): string {
  const { done, total } = progressOf(state);
  const agent = agentName(shownList(state)?.agent ?? 'todowrite');
  const name = ofSession(isOfTeam(state) ? 'Team tasks' : agent, state, theme);
  if (total === 0) return name;
  return `${done === total ? `${theme.completed} ` : ''}${done}/${total} ${name}`;
}

function ofSession(subject: string, state: ViewerState, theme: Theme): string {
  const { session, team } = state.known;
  const [name] = sessionName((isOfTeam(state) ? team : session) ?? '');
  return printable([subject, name].filter(Boolean).join(` ${theme.dot} `), theme);
}

function headingOf(state: ViewerState, look: ItemLook): ViewerHeading {
  const { theme, times } = look;
  const { name, version } = pageOf(state);
  const list = shownList(state);
  const agent = agentName(list?.agent ?? state.agent ?? state.awaited);
  const titled = (words: string) => printable(words, theme);
  const inSession = (words: string) => ofSession(words, state, theme);
  const ofVersion = (whose: string, at = new Date(0), by = '-') => ({
    title: titled(`Version ${version} of ${whose}, ${times.at(+at)} by ${agentName(by)}`),
    hasBar: true,
  });
  switch (name) {
    case 'help':
      return { title: 'Keys' };
    case 'sessions':
      return { title: 'All sessions' };
    case 'agents':
      return { title: inSession('All agents') };
    case 'history':
      return { title: inSession(`History of ${isOfTeam(state) ? TEAMS_TASKS : agent}`) };
    case 'board': {
      const { at, graph } = shownTasks(state)[0] ?? {};
      if (version !== undefined) return ofVersion(TEAMS_TASKS, at, graph?.by);
      // A renewed lease is a version, too, but no change.
      const changes = [...(graph?.tasks.values() ?? [])].map((task) => Date.parse(task.updatedAt));
      const changed = changes.length > 0 ? `updated ${times.ago(Math.max(...changes))}` : '';
      return { title: inSession('Team tasks'), changed, hasBar: true };
    }
    case 'details':
      return { title: titled(textInDetails(state)) };
    case 'list': {
      if (list === undefined) return { title: 'todowrite' };
      const time = totalTime(state, look);
      const [shown] = shownVersions(state);
      if (version !== undefined) return { ...ofVersion(agent, shown?.updatedAt, shown?.by), time };
      const changed = `updated ${times.ago(+list.versions[0].updatedAt)}`;
      const title = state.rows < 9 ? titled(agent) : inSession(agent);
      return { title, changed, time, hasBar: true };
    }
  }
}

function headerBar(width: number, state: ViewerState, { theme }: ItemLook): Line {
  if (width < 4) return EMPTY_LINE;
  const { done, total } = progressOf(state);
  const filled = total === 0 ? 0 : Math.floor((width * done) / total);
  const [full, open] = theme.bar;
  return join(
    line(full.repeat(filled), theme.paint.done),
    line(open.repeat(width - filled), theme.paint.faint),
  );
}

/** How long the plan has been worked on: until now, or until it was completed. */
function totalTime(state: ViewerState, { times }: ItemLook): string {
  const versions = shownVersions(state);
  const [newest] = versions;
  if (newest === undefined || newest.items.length === 0) return '';
  const { begun, isBegunKnown, of } = statusTimes(versions);
  const mark = isBegunKnown ? '' : '>';
  const isDone = !newest.items.some(isOpen);
  if (isDone || pageOf(state).version !== undefined) {
    const end = isDone
      ? Math.max(...[...of.values()].map(({ since }) => since))
      : +newest.updatedAt;
    return `${isDone ? 'finished in ' : ''}${mark}${times.lasted(end - begun)}`;
  }
  return mark + times.running(begun);
}
