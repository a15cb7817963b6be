import { printable } from '../panel/render-list.ts';
import { briefText } from '../safe-text.ts';
import { wrap } from '../terminal/text.ts';
import { changeOf } from './changes.ts';
import { join, type Line, line, spread } from './lines.ts';
import { NEWEST_OFFERED, TERSE_COLUMNS, type ViewerState } from './model.ts';
import { chosenMark, type ItemLook } from './render-items.ts';
import type { Body } from './scroll.ts';
import { chosen, pageOf, shownList } from './shown.ts';
import type { FoundList } from './watched-lists.ts';

/** One version in a history. */
interface Entry {
  readonly version: number;
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly by: string;
  readonly text: string;
}

/** Who changed what in the list, and when. */
export function historyBody(state: ViewerState, look: ItemLook): Body {
  const versions = shownList(state)?.versions ?? [];
  const entries = versions.map((version, index) => ({
    version: version.version,
    at: +version.updatedAt,
    by: version.by,
    text: changeOf(version, versions[index + 1]),
  }));
  return entriesBody(entries, state, look);
}

/** Who changed what in the team's tasks, and when. */
export function taskHistoryBody(state: ViewerState, look: ItemLook): Body {
  const { taskHistory } = state.known;
  if (taskHistory.length > 0) return entriesBody(taskHistory, state, look);
  return { blocks: [[line('No changes are kept.', look.theme.paint.faint)]] };
}

/** One version per line, newest first. */
function entriesBody(
  entries: readonly Entry[],
  state: ViewerState,
  { theme, times, columns }: ItemLook,
): Body {
  const focus = chosen(state);
  const blocks = entries.map(({ version, at, by, text }, index) => {
    const place = `${String(version).padStart(4)}  ${times.at(at)}  `;
    const mark = `${index === focus ? chosenMark(theme) : ' '}${place}`;
    // On a narrow screen, the change goes below its time.
    const isNarrow = columns < TERSE_COLUMNS;
    const indent = ' '.repeat(isNarrow ? 2 : mark.length);
    const told = printable(`${briefText(by)}: ${text}`, theme);
    const rows = wrap(told, columns - indent.length);
    const start = line(mark, theme.paint.strong);
    const below = rows.map((row) => join(line(indent), line(row)));
    return isNarrow ? [start, ...below] : [join(start, line(rows[0] ?? '')), ...below.slice(1)];
  });
  return { blocks, focus, follows: pageOf(state).cursor === undefined };
}

/** The lists of all sessions, most recently changed first. */
export function sessionsBody(state: ViewerState, look: ItemLook): Body {
  const { found } = state.known;
  if (found.length === 0)
    return { blocks: [[line('There is no list yet.', look.theme.paint.faint)]] };
  return {
    blocks: found.map((list, index) => [foundLine(list, index === chosen(state), look)]),
    focus: chosen(state),
  };
}

/** While there is no list: what we wait for, and which lists there are. */
export function waitingBody(state: ViewerState, look: ItemLook): Body {
  const { theme, columns } = look;
  const { known, agent, awaited } = state;
  const intro = (
    known.session === undefined
      ? [
          'No session is named: a folder means a different place on each machine.',
          'Set TODO_SESSION, or give --session NAME.',
        ]
      : [
          `Waiting for the list of agent ${agent ?? awaited} in session ${known.session}.`,
          'It shows here as soon as TodoWrite is called there.',
        ]
  ).flatMap((words) => wrap(printable(words, theme), columns).map((row) => line(row)));
  const offered = known.found.slice(0, NEWEST_OFFERED);
  if (offered.length === 0) return { blocks: [intro] };
  const focus = chosen(state);
  return {
    blocks: [
      [...intro, line(''), line('The newest lists; Enter opens one:', theme.paint.faint)],
      ...offered.map((list, index) => [foundLine(list, index === focus, look)]),
    ],
    focus: focus + 1,
  };
}

const KEYS = [
  ['arrows, j, k', 'move; the page then stays where you are'],
  ['Esc', 'go back; on the list, follow the item in progress again'],
  ['Page Up, Page Down, Home, End', 'move further'],
  ['Enter', 'open the selected agent, version or session'],
  ['a', 'the lists of all agents'],
  ['b', "the board of the team's tasks"],
  ['h', 'the history, on the board that of the tasks'],
  ['s', 'other sessions'],
  ['n', 'a new item below the selected one, or a new task'],
  ['e', 'change its text'],
  ['p, x', 'start it; complete it; press again to undo that'],
  ['d', 'drop it'],
  ['J, K', 'move it down or up'],
  ['o', 'on the board: who owns the task'],
  ['u', 'undo your last change'],
  ['c', 'hide completed items, or show them again'],
  ['?', 'this page'],
  ['q', 'quit'],
] as const;

export function helpBody({ theme, columns }: ItemLook): Body {
  const width = columns < 60 ? 0 : Math.max(...KEYS.map(([key]) => key.length)) + 2;
  const blocks = KEYS.map(([key, meaning]) => {
    if (width === 0) {
      const rows = wrap(meaning, columns - 2).map((row) => line(`  ${row}`));
      return [line(key, theme.paint.strong), ...rows];
    }
    return [join(line(key.padEnd(width), theme.paint.strong), line(meaning))];
  });
  return { blocks: blocks.flat().map((row) => [row]) };
}

function foundLine(
  { session, agent, newest }: FoundList,
  isChosen: boolean,
  { theme, times, columns }: ItemLook,
): Line {
  const { items, updatedAt } = newest;
  const done = items.filter(({ status }) => status === 'completed').length;
  const name = printable(`${session} ${theme.unicode ? '·' : '-'} ${agent}`, theme);
  const mark = isChosen ? chosenMark(theme) : ' ';
  const { ellipsis, paint } = theme;
  const facts = `${done}/${items.length}  ${times.ago(+updatedAt)}`;
  return spread(`${mark} ${name}`, facts, columns, {
    ellipsis,
    paint: isChosen ? paint.strong : (same) => same,
    paintRight: paint.faint,
  });
}
