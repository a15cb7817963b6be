// Cards, columns and rows of the page. Lists have a role, since Safari takes one without bullets for no list.
import type { JSX } from 'preact';
import { doneOf, type Status, statusText } from '../../base/command/status.ts';
import { agentName, factsOf, leaseOnBoard, textOfRow } from '../../screen/panel/look.ts';
import type { ShownTimes } from '../../screen/panel/shown-times.ts';
import type { TimedRow } from '../../screen/panel/status-times.ts';
import { createTheme } from '../../screen/panel/theme.ts';
import type { PageState } from './page-state.ts';

export type PageList = PageState['lists'][number];
export type PageTask = PageState['tasks'][number];

export interface PageView {
  /** Only rows that contain this text; empty: all. */
  readonly filter: string;
  /** The unfolded parts: `done:AGENT`, `more:AGENT`, `history:AGENT`. */
  readonly unfolded: ReadonlySet<string>;
  readonly times: ShownTimes;
}

/** Pending items of a list, and tasks of a column, shown at first. */
const MOST_ROWS = 12;
/** Completed items are folded if there are so many. */
const FOLDED_FROM = 2;

const { completed, inProgress: in_progress, pending } = createTheme();
const STATUS_ICONS: Record<Status, string> = { completed, in_progress, pending };

/** The item in progress first, completed ones folded. Undefined if the filter leaves nothing. */
export function listCard(list: PageList, view: PageView): JSX.Element | undefined {
  const { agent, title, items, updatedAt, history } = list;
  const rows = items.filter((item) => matches(view, title, item));
  if (view.filter !== '' && rows.length === 0) return undefined;
  const done = doneOf(items);
  const canFold = view.filter === '' && done >= FOLDED_FROM;
  const isFolded = canFold && !view.unfolded.has(`done:${agent}`);
  const open = rows.filter(
    (item) => !isFolded || item.status !== 'completed' || view.times.isFresh(item.changed),
  );
  const { shown, more } = cutToRows(open, `more:${agent}`, view);
  return (
    <article class="card" key={agent} aria-label={`List of ${title}`}>
      <div class="top">
        <h3>
          <bdi>{title}</bdi>
        </h3>
        <span class="soft">{`${done}/${items.length}`}</span>
        <span class="soft end">{view.times.ago(updatedAt)}</span>
      </div>
      {progressBar(done, items.length, title)}
      {canFold && fold(`done:${agent}`, `${done} completed`, view)}
      {items.length === 0 && <p class="soft">The list is empty.</p>}
      {items.length > 0 && <ul role="list">{shown.map((item) => itemRow(item, view))}</ul>}
      {more}
      {fold(`history:${agent}`, 'History', view)}
      {view.unfolded.has(`history:${agent}`) && history.length > 0 && (
        <ul class="history" role="list">
          {history.map((version) => versionRow(version, view.times))}
        </ul>
      )}
    </article>
  );
}

function versionRow(
  { version, at, by, text }: PageList['history'][number],
  times: ShownTimes,
): JSX.Element {
  return (
    <li key={version}>
      {`${version} · ${whenText(at, times)} · `}
      <bdi>{`${agentName(by)}: ${text}`}</bdi>
    </li>
  );
}

function itemRow(item: TimedRow, view: PageView): JSX.Element {
  const { status, since, isLonger, took = 0 } = item;
  const { times } = view;
  if (status === 'pending' || since === undefined) return rowOf(item, view);
  if (status === 'in_progress')
    return rowOf(item, view, { time: `${isLonger ? '>' : ''}${times.running(since)}` });
  if (isLonger) return rowOf(item, view);
  const time = took < 1000 ? undefined : times.lasted(took);
  return rowOf(item, view, { time, title: `completed ${whenText(since, times)}` });
}

/** A click or Enter on it opens the details. */
function taskElement(task: PageTask, view: PageView): JSX.Element {
  const { since, status, details, leaseEnds } = task;
  const { times, unfolded } = view;
  const key = `task:${task.name}`;
  const clock = status === 'in_progress' ? 'running' : 'ago';
  return rowOf(task, view, {
    time: since === undefined || status === 'completed' ? undefined : times[clock](since),
    lease: leaseOnBoard(leaseEnds, times),
    opens: key,
    more: unfolded.has(key) && details.length > 0 && (
      <dl class="details">{details.flatMap((one, at) => detail(one, details[at - 1], times))}</dl>
    ),
  });
}

function detail(
  { label, at, lines }: PageTask['details'][number],
  before: PageTask['details'][number] | undefined,
  times: ShownTimes,
): JSX.Element[] {
  const time = at === undefined ? [] : [whenText(at, times)];
  return [
    <dt>{label === before?.label ? '' : label}</dt>,
    <dd>{[...time, lines.join('\n')].filter(Boolean).join(' · ')}</dd>,
  ];
}

interface RowParts {
  readonly time?: string | undefined;
  readonly title?: string;
  readonly lease?: string;
  /** The part that a click opens, and its content. */
  readonly opens?: string;
  readonly more?: JSX.Element | false;
}

/** A row with its mark, text and facts. */
function rowOf(
  row: TimedRow,
  view: PageView,
  { time, title, lease, opens, more }: RowParts = {},
): JSX.Element {
  const { name, status, priority, proof, changed } = row;
  const classes = new Map([
    [priority, priority],
    [proof, proof],
    [time, 'time'],
    [lease, 'high'],
  ]);
  const [owner = '', ...others] = factsOf(row, time);
  const facts = [owner, lease, ...others]
    .filter(Boolean)
    .map((fact, at) => [at > 0 && ' · ', <bdi class={classes.get(fact)}>{fact}</bdi>]);
  // A subject that is read from the right would take the number to its side.
  const [, number, text] = /^(#\d+ |)(.*)$/s.exec(textOfRow(row)) ?? [];
  const words = [
    <span class="hidden">{`${statusText(status)}: `}</span>,
    number,
    <bdi>{text}</bdi>,
  ];
  return (
    <li class={view.times.isFresh(changed) ? `${status} fresh` : status} key={name} title={title}>
      <span class="mark" aria-hidden="true">
        {STATUS_ICONS[status]}
      </span>
      {opens ? (
        <button
          type="button"
          class="words opens"
          data-fold={opens}
          aria-expanded={view.unfolded.has(opens)}
        >
          {words}
        </button>
      ) : (
        <span class="words">{words}</span>
      )}
      <span class="facts">{facts}</span>
      {more}
    </li>
  );
}

export function boardColumn(
  status: Status,
  tasks: readonly PageTask[],
  view: PageView,
): JSX.Element {
  const all = tasks.filter((task) => task.status === status);
  const own = all.filter((task) => matches(view, task.owner, task));
  const { shown, more } = cutToRows(own, `more:#${status}`, view);
  const title = statusText(status).replace(/^./, (first) => first.toUpperCase());
  return (
    <article
      class="card"
      aria-label={`${title}: ${all.length} ${all.length === 1 ? 'task' : 'tasks'}`}
    >
      <div class="top">
        <h3>{title}</h3>
        <span class="soft">{all.length}</span>
      </div>
      <ul role="list" class="tasks">
        {shown.map((task) => taskElement(task, view))}
      </ul>
      {own.length === 0 && <p class="soft">{all.length === 0 ? 'none' : 'none that match'}</p>}
      {more}
    </article>
  );
}

export function progressBar(done: number, all: number, label: string): JSX.Element {
  const text = `${label}: ${done} of ${all} completed`;
  return <progress max={all || 1} value={done} aria-label={text} />;
}

function fold(key: string, label: string, { unfolded }: PageView): JSX.Element {
  return (
    <button type="button" class="fold" key={key} data-fold={key} aria-expanded={unfolded.has(key)}>
      {label}
    </button>
  );
}

function cutToRows<Row extends { status: Status }>(
  rows: readonly Row[],
  key: string,
  view: PageView,
): { shown: readonly Row[]; more: JSX.Element | undefined } {
  const current = rows.findIndex(({ status }) => status === 'in_progress');
  const most = current + 1 + MOST_ROWS;
  const extra = rows.length - most;
  if (view.filter !== '' || extra <= 1) return { shown: rows, more: undefined };
  const isOpen = view.unfolded.has(key);
  return {
    shown: isOpen ? rows : rows.slice(0, most),
    more: fold(key, isOpen ? 'less' : `${extra} more`, view),
  };
}

function matches({ filter }: PageView, who: string, row: TimedRow) {
  const wanted = filter.toLowerCase();
  return [who, row.text, textOfRow(row)].some((shown) => shown.toLowerCase().includes(wanted));
}

/** The time of day in the reader's language, or the date if it was not today. */
function whenText(at: number, times: ShownTimes): string {
  const date = new Date(at);
  if (date.toDateString() !== new Date().toDateString()) return times.at(at);
  return date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
}
