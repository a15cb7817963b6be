import { doneOf } from '../base/command/status.ts';
import { briefText } from '../base/safe-text.ts';
import {
  agentName,
  inProgressText,
  leaseOnBoard,
  printable,
  sessionName,
} from '../screen/panel/look.ts';
import { itemRows } from '../screen/panel/status-times.ts';
import {
  type Body,
  below,
  beside,
  EMPTY_LINE,
  join,
  type Line,
  line,
  padded,
  plain,
  spread,
  stacked,
} from '../screen/terminal/lines.ts';
import { displayWidth, truncate, wrap } from '../screen/terminal/text.ts';
import { type Detail, itemDetails, leaseEndOf, taskDetails } from './details.ts';
import type { FoundSession, ViewerState } from './model.ts';
import { type ItemLook, note, type RowDraw, selectable } from './render-rows.ts';
import {
  isOfTeam,
  pageOf,
  selectedIndex,
  shownEntries,
  shownSessions,
  shownTasks,
  shownVersions,
  textInDetails,
} from './shown.ts';
import { isTeamKey } from './watched-lists.ts';

/** Below this, a version's changes are below its time. */
const NARROW_COLUMNS = 40;
const TWO_COLUMNS = 140;
/** For the names of details. */
const PAGE_LABEL_COLUMNS = 14;
/** For the names of a session's agents. */
const WHO_COLUMNS = 24;

/** One version per line, newest first. */
export function entriesBody(state: ViewerState, look: ItemLook): Body {
  const { times, columns } = look;
  const focus = selectedIndex(state);
  const entries = shownEntries(state);
  if (entries.length === 0) return note('No changes are kept.', look);
  const blocks = entries.map(({ version, at, by, text }, index) => {
    const draw = ({ theme, margin }: RowDraw): Line[] => {
      const place = `${margin.text}${String(version).padStart(4)}  ${times.at(at)}  `;
      const isNarrow = columns < NARROW_COLUMNS;
      const indent = line(' '.repeat(isNarrow ? 2 : place.length));
      const told = wrap(
        printable(`${briefText(agentName(by))}: ${text}`, theme),
        columns - indent.width,
      );
      const start = line(place, theme.paint.faint);
      const below = told.map((row) => join(indent, line(row)));
      return isNarrow ? [start, ...below] : [join(start, line(told[0] ?? '')), ...below.slice(1)];
    };
    return selectable(draw, look, index === focus);
  });
  return stacked(blocks);
}

/** All that is known of one task or item. */
export function detailsBody(state: ViewerState, look: ItemLook): Body {
  const { theme, times, columns } = look;
  const isNarrow = columns < NARROW_COLUMNS;
  const indent = isNarrow ? 2 : PAGE_LABEL_COLUMNS;
  const text = textInDetails(state);
  // The header has one row.
  const isCut = displayWidth(printable(text, theme)) > columns;
  const known = shownDetails(state);
  const details = isCut ? [{ label: 'Text', lines: [text] }, ...known] : known;
  const blocks = details.map(({ label, at, lines, ends }, index) => {
    const name = label === details[index - 1]?.label ? '' : printable(label, theme);
    const head = line(truncate(name, columns, theme.ellipsis), theme.paint.faint);
    const isAbove = name !== '' && (isNarrow || head.width >= indent);
    const time = at === undefined ? '' : times.at(at);
    const [first = '', ...rest] = lines;
    const texts = [[time, first, leaseOnBoard(ends, times)].filter(Boolean).join(' '), ...rest];
    const rows = texts
      .flatMap((text) => wrap(printable(text, theme), columns - indent))
      .map((text, y) => {
        const start = y === 0 && !isAbove ? head : EMPTY_LINE;
        return join(padded(start, indent), line(text));
      });
    return isAbove ? [head, ...rows] : rows;
  });
  return stacked(blocks);
}

function shownDetails(state: ViewerState): readonly Detail[] {
  const { of = '' } = pageOf(state);
  if (isOfTeam(state)) {
    const tasks = shownTasks(state);
    return taskDetails(tasks, Number(of), leaseEndOf(tasks[0]?.graph.tasks.get(Number(of))));
  }
  const versions = shownVersions(state);
  const item = versions[0]?.items[itemRows(versions).findIndex(({ name }) => name === of)];
  return item
    ? itemDetails(versions, item)
    : [{ label: 'Status', lines: ['no longer on the list'] }];
}

export function sessionsBody(state: ViewerState, look: ItemLook): Body {
  const found = shownSessions(state);
  if (found.length === 0) return note('There is no list yet.', look);
  const focus = selectedIndex(state);
  return stacked(found.map((one, index) => sessionRow(one, index === focus, look)));
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
          `Waiting for the list of agent ${agentName(agent ?? awaited)} in session ${known.session}.`,
          'It shows here as soon as TodoWrite is called there.',
        ]
  ).flatMap((words) => wrap(printable(words, theme), columns).map((row) => line(row)));
  if (shownSessions(state).length === 0) return plain(...intro);
  const offer = line('The newest sessions; Enter opens one:', theme.paint.faint);
  return below([plain(...intro, EMPTY_LINE, offer), sessionsBody(state, look)]);
}

const KEYS = [
  ['arrows, j, k', 'move; the page then stays where you are'],
  ['Page Up, Page Down', 'move by screens'],
  ['Home, g; End, G', 'move to the first; to the last'],
  ['Esc', 'go back; on the list, follow the item in progress'],
  ['/', 'filter as you type; Esc shows everything again'],
  ['Enter', 'open the agent, version or session; details of an item'],
  ['a', 'the lists of all agents'],
  ['b', "the board of the team's tasks"],
  ['h', 'the history; r there restores that version of a list'],
  ['s', 'other sessions; D there removes one'],
  ['n', 'a new item below the selected one, or a new task'],
  ['e', 'change its text'],
  ['p', 'start it, or put it back'],
  ['x', 'complete it, or reopen it'],
  ['d', 'drop it'],
  ['J, K', 'move it down or up'],
  ['o', 'on the board: who owns the task'],
  ['u', 'undo your last change'],
  ['c', 'hide completed items, or show them again'],
  ['?', 'this page'],
  ['q', 'quit'],
] as const;

export function helpBody({ theme, columns }: ItemLook): Body {
  const width = Math.max(...KEYS.map(([key]) => key.length)) + 2;
  const isNarrow = columns < 60;
  const rows = KEYS.flatMap(([key, meaning]): Line[] => {
    const start = line(isNarrow ? key : key.padEnd(width), theme.paint.strong);
    if (!isNarrow) return [join(start, line(meaning))];
    return [start, ...wrap(meaning, columns - 2).map((row) => line(`  ${row}`))];
  });
  const half = Math.ceil(rows.length / 2);
  const listed = (some: readonly Line[]) => stacked(some.map((row) => [row]));
  if (columns < TWO_COLUMNS) return listed(rows);
  const halves = [listed(rows.slice(0, half)), listed(rows.slice(half))];
  return beside(halves, Math.floor(columns / 2), EMPTY_LINE);
}

/** The current work and the members of a session. */
function sessionRow({ session, lists }: FoundSession, isChosen: boolean, look: ItemLook): Line[] {
  const { times, columns } = look;
  const items = lists.flatMap(({ newest }) => newest.items);
  const done = doneOf(items);
  const doing = items.find(({ status }) => status === 'in_progress')?.activeForm;
  const agents = lists.filter(({ key }) => !isTeamKey(key)).map(({ agent }) => agentName(agent));
  const [first = lists[0].agent, ...others] = agents;
  const [name, where] = sessionName(session);
  const atRest = items.length === 0 ? 'idle' : done === items.length ? 'finished' : 'open';
  const isAny = (trouble: 'damage' | 'unreadable') => lists.some((list) => list[trouble]);
  const said = doing ? inProgressText(doing) : atRest;
  const what = isAny('damage') ? 'damaged' : isAny('unreadable') ? 'unreadable' : said;
  const draw = ({ theme, margin }: RowDraw) => {
    const all = printable(others.length > 0 ? `${first} +${others.length}` : first, theme);
    const who = truncate(all, WHO_COLUMNS, theme.ellipsis);
    const count = `${done}/${items.length}  ${times.ago(+lists[0].newest.updatedAt)}`;
    const whole = `${who}  ${count}`;
    const facts = displayWidth(whole) > columns / 2 - 2 ? count : whole;
    const left = [name, what, where].filter(Boolean).join(` ${theme.dot} `);
    const paint = { ellipsis: theme.ellipsis, paintRight: theme.paint.faint };
    return [spread(`${margin.text} ${printable(left, theme)}`, facts, columns, paint)];
  };
  return selectable(draw, look, isChosen);
}
