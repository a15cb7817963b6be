import type { Status } from '../../command/status.ts';
import { factsOf, textOf } from '../../panel/look.ts';
import { ShownTimes } from '../../panel/shown-times.ts';
import type { Row } from '../../panel/status-times.ts';
import { createTheme } from '../../panel/theme.ts';
import { element } from './elements.ts';
import type { PageState } from './page-state.ts';

export type List = PageState['lists'][number];

export interface View {
  /** Only rows that contain this text; empty: all. */
  readonly filter: string;
  /** The unfolded parts: `done:AGENT`, `more:AGENT`, `history:AGENT`. */
  readonly unfolded: ReadonlySet<string>;
  isFresh(row: string): boolean;
}

/** Pending items of a list, and tasks of a column, shown at first. */
const MOST_ROWS = 12;
/** Completed items are folded if there are so many. */
const FOLDED_FROM = 2;

const { completed, inProgress: in_progress, pending } = createTheme();
const MARKS: Record<Status, string> = { completed, in_progress, pending };
export const WORDS: Record<Status, string> = {
  completed: 'completed',
  in_progress: 'in progress',
  pending: 'pending',
};

export const doneOf = (items: readonly { readonly status: Status }[]) =>
  items.filter(({ status }) => status === 'completed').length;

/** The item in progress first, completed ones folded. Undefined if the filter leaves nothing. */
export function listCard(list: List, view: View): HTMLElement | undefined {
  const { agent, items, updatedAt, history } = list;
  const rows = items.filter((item) => matches(view, agent, item));
  if (view.filter !== '' && rows.length === 0) return undefined;
  const done = doneOf(items);
  const isFolded = view.filter === '' && done >= FOLDED_FROM && !view.unfolded.has(`done:${agent}`);
  const open = rows.filter(
    (item) => !isFolded || item.status !== 'completed' || view.isFresh(item.name),
  );
  const { shown, more } = cut(open, `more:${agent}`, view);
  return element(
    'article',
    { class: 'card', 'data-key': agent, 'aria-label': `List of ${agent}` },
    element(
      'div',
      { class: 'top' },
      element('h3', {}, agent),
      element('span', { class: 'soft' }, `${done}/${items.length}`),
      element('span', { class: 'soft end', 'data-ago': updatedAt }, times().ago(updatedAt)),
    ),
    bar(done, items.length, agent),
    view.filter === '' && done >= FOLDED_FROM
      ? fold(`done:${agent}`, `${done} completed`, view)
      : '',
    items.length === 0
      ? element('p', { class: 'soft' }, 'The list is empty.')
      : element('ul', { role: 'list' }, ...shown.map((item) => itemRow(item, view))),
    more,
    fold(`history:${agent}`, 'History', view),
    view.unfolded.has(`history:${agent}`)
      ? element('ul', { class: 'history', role: 'list' }, ...history.map(versionRow))
      : undefined,
  );
}

function versionRow({ version, at, by, text }: List['history'][number]): HTMLElement {
  return element('li', { 'data-key': version }, `${version} · ${whenText(at)} · ${by}: ${text}`);
}

function itemRow(item: Row, view: View): HTMLElement {
  const { status, since, isLonger, took = 0 } = item;
  if (status === 'pending' || since === undefined) return rowOf(item, view);
  if (status === 'in_progress') return rowOf(item, view, runningTime(since, isLonger));
  if (isLonger) return rowOf(item, view);
  const time = took < 1000 ? undefined : element('span', { class: 'time' }, times().lasted(took));
  return rowOf(item, view, time, `completed ${whenText(since)}`);
}

function taskRow(task: Row, view: View): HTMLElement {
  const { since, status } = task;
  if (since === undefined || status === 'completed') return rowOf(task, view);
  const ago = element('span', { 'data-ago': since }, times().ago(since));
  return rowOf(task, view, status === 'pending' ? ago : runningTime(since, false));
}

/** A row with its mark, text and facts. */
function rowOf(row: Row, view: View, time?: HTMLElement, title?: string): HTMLElement {
  const { name, status, priority, proof } = row;
  const facts = factsOf(row, time).map((fact) =>
    fact === priority || fact === proof ? element('span', { class: fact }, fact) : fact,
  );
  return element(
    'li',
    { class: view.isFresh(name) ? `${status} fresh` : status, 'data-key': name, title },
    element('span', { class: 'mark', 'aria-hidden': 'true' }, MARKS[status]),
    element(
      'span',
      { class: 'words' },
      element('span', { class: 'hidden' }, `${WORDS[status]}: `),
      textOf(row),
    ),
    element(
      'span',
      { class: 'facts' },
      ...facts.flatMap((fact, at) => (at > 0 ? [' · ', fact] : [fact])),
    ),
  );
}

export function boardColumn(status: Status, tasks: readonly Row[], view: View): HTMLElement {
  const all = tasks.filter((task) => task.status === status);
  const own = all.filter((task) => matches(view, task.owner, task));
  const { shown, more } = cut(own, `more:#${status}`, view);
  const title = WORDS[status].replace(/^./, (first) => first.toUpperCase());
  return element(
    'article',
    {
      class: 'card',
      'aria-label': `${title}: ${all.length} ${all.length === 1 ? 'task' : 'tasks'}`,
    },
    element(
      'div',
      { class: 'top' },
      element('h3', {}, title),
      element('span', { class: 'soft' }, String(all.length)),
    ),
    element('ul', { role: 'list', class: 'tasks' }, ...shown.map((task) => taskRow(task, view))),
    own.length === 0
      ? element('p', { class: 'soft' }, all.length === 0 ? 'none' : 'none that match')
      : '',
    more,
  );
}

/** A clock kept going by `tick`. A `>` before it: longer than the kept versions show. */
function runningTime(since: number, isLonger: boolean): HTMLElement {
  const prefix = isLonger ? '>' : '';
  const text = prefix + times().running(since);
  return element('span', { class: 'time', 'data-since': since, 'data-prefix': prefix }, text);
}

export function tick(): void {
  for (const shown of document.querySelectorAll<HTMLElement>('[data-since], [data-ago]')) {
    const { ago, since, prefix = '' } = shown.dataset;
    const text = ago ? times().ago(Number(ago)) : prefix + times().running(Number(since));
    if (shown.textContent !== text) shown.textContent = text;
  }
}

export function bar(done: number, all: number, label: string): HTMLElement {
  const text = `${label}: ${done} of ${all} completed`;
  return element('progress', { max: all || 1, value: done, 'aria-label': text });
}

function fold(key: string, label: string, { unfolded }: View): HTMLElement {
  const isOpen = unfolded.has(key);
  const attributes = { type: 'button', class: 'fold', 'data-key': key, 'data-fold': key };
  return element('button', { ...attributes, 'aria-expanded': String(isOpen) }, label);
}

function cut<Row extends { status: Status }>(
  rows: readonly Row[],
  key: string,
  view: View,
): { shown: readonly Row[]; more: HTMLElement | undefined } {
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

function matches({ filter }: View, who: string, row: Row) {
  const wanted = filter.toLowerCase();
  return [who, row.text, textOf(row)].some((shown) => shown.toLowerCase().includes(wanted));
}

const times = () => new ShownTimes(Date.now());

/** The time of day in the reader's language, or the date if it was not today. */
function whenText(at: number): string {
  const date = new Date(at);
  if (date.toDateString() !== new Date().toDateString()) return times().at(at);
  return date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
}
