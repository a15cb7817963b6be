// The page's script, bundled into the page as text, shows each state that the server sends.
import { h, render } from 'preact';
import { doneOf, STATUSES, statusText } from '../../base/command/status.ts';
import { ShownTimes } from '../../screen/panel/shown-times.ts';
import type { PageState } from './page-state.ts';
import { boardColumn, listCard, type PageView, progressBar } from './rows.tsx';

/** In pixels. */
const COLUMN_WIDTH = 352;
const SCROLL_GAP = 16;
/** From this width on, the board has columns side by side. */
const WIDE_PAGE = 560;
/** The server sends something every 20 seconds; a tunnel can be cut without a word. */
const SILENT_MS = 50_000;
const LOST = 'no connection; trying again';

const byId = <Kind extends HTMLElement>(id: string) => document.getElementById(id) as Kind;
const filter = byId<HTMLInputElement>('filter');
const sessionChoice = byId<HTMLSelectElement>('sessions');

let known: PageState | undefined;
let events: EventSource | undefined;
/** When the server last sent something, by `Date.now()`; 0 to connect anew. */
let heardAt = 0;
/** Clocks stand still while nothing is known of the lists. */
let stoppedAt: number | undefined;
/** The agents in the order in which they appeared: a list stays in its column, wherever others begin or grow. */
let appeared: readonly string[] = [];
let clicked: Element | undefined;

/** In the address: the session, and the unfolded parts. */
const addressParameters = () => new URLSearchParams(location.search);

const view = (): PageView => ({
  filter: filter.value.trim(),
  unfolded: new Set(addressParameters().getAll('open')),
  times: new ShownTimes(stoppedAt ?? Date.now()),
});

/** Makes a change without moving what the reader looks at: what was clicked last, else the first row in the window. */
function inPlace(change: () => void): void {
  if (scrollY === 0 && clicked === undefined) {
    change();
    return;
  }
  const box = (one: Element) => one.getBoundingClientRect();
  const isSeen = (one: Element | undefined) =>
    one !== undefined && box(one).height > 0 && box(one).bottom > 0 && box(one).top < innerHeight;
  const seen = [clicked, ...document.querySelectorAll('li')].filter(isSeen) as Element[];
  const tops = seen.map((one) => box(one).top);
  change();
  // Rows that were completed may have folded.
  const left = seen.findIndex((one) => one.isConnected);
  if (left >= 0) scrollBy(0, box(seen[left] as Element).top - (tops[left] as number));
}

function showPage(state: PageState): void {
  tellNews(known, state);
  known = state;
  const isOther = (addressParameters().get('session') ?? state.id) !== state.id;
  byId('problem').textContent =
    state.problem ??
    (isOther ? 'The session in the address has no lists here; this is another one.' : '');
  showTitle(state);
  // The own session is not found before it has a list.
  const isFound = state.sessions.some(({ id }) => id === state.id);
  const own = isFound ? [] : [{ id: state.id ?? '', name: state.session }];
  const options = [...own, ...state.sessions];
  render(
    options.map(({ id, name }) => h('option', { value: id, key: id }, name)),
    sessionChoice,
  );
  sessionChoice.value = state.id ?? '';
  showRows();
}

/** The titles of page and tab, and the icon. */
function showTitle({ session, lists, tasks }: PageState): void {
  const items = [...tasks, ...lists.flatMap((list) => list.items)];
  const done = doneOf(items);
  const isDone = items.length > 0 && done === items.length;
  const count = items.length > 0 ? `${done}/${items.length}` : '';
  byId('title').textContent = session || 'Task lists';
  const total = count ? [progressBar(done, items.length, 'All'), h('span', {}, count)] : [];
  render(total, byId('total'));
  document.title = [isDone ? `✓ ${count}` : count, session || 'Task lists']
    .filter(Boolean)
    .join(' · ');
  const turn = 2 * Math.PI * 6 * (items.length > 0 ? done / items.length : 0);
  const circle = (colour: string, dash: string) =>
    `<circle cx="8" cy="8" r="6" fill="none" stroke="${colour}" stroke-width="4" ${dash}/>`;
  const arc = `stroke-dasharray="${turn} 99" transform="rotate(-90 8 8)"`;
  const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${circle('#8884', '')}${circle('#2da160', arc)}</svg>`;
  byId<HTMLLinkElement>('icon').href = `data:image/svg+xml,${encodeURIComponent(icon)}`;
}

function showRows(): void {
  if (known === undefined) return;
  const { lists, tasks, team } = known;
  const seen = view();
  byId('team').hidden = tasks.length === 0;
  byId('team-title').textContent = ['Team tasks', team].filter(Boolean).join(' · ');
  const focused = document.activeElement;
  const isNarrow = byId('board').clientWidth < WIDE_PAGE;
  const order = isNarrow ? (['in_progress', 'pending', 'completed'] as const) : STATUSES;
  const board = order.map((status) => boardColumn(status, tasks, seen));
  render(board, byId('board'));
  const cards = lists.map((list) => ({ list, card: listCard(list, seen) }));
  const shown = cards.filter(({ card }) => card !== undefined);
  const none =
    lists.length === 0 ? 'No list here yet. It shows as soon as TodoWrite is called.' : '';
  const noMatch = lists.length > 0 && shown.length === 0 ? 'No item contains this text.' : '';
  byId('none').textContent = none || noMatch;
  const agents = lists.map(({ agent }) => agent);
  appeared = [...new Set([...appeared.filter((agent) => agents.includes(agent)), ...agents])];
  const box = byId('lists');
  const most = Math.floor((box.clientWidth + SCROLL_GAP) / (COLUMN_WIDTH + SCROLL_GAP));
  const columns = Math.max(1, Math.min(agents.length, most));
  const filled = Array.from({ length: columns }, (_, column) => {
    const own = shown.filter(({ list }) => appeared.indexOf(list.agent) % columns === column);
    return h('div', { class: 'column' }, ...own.map(({ card }) => card));
  });
  render(filled, box);
  box.style.setProperty('--columns', String(columns));
  box.classList.toggle('single', columns === 1);
  // A card that moves to another column loses the focus.
  if (focused instanceof HTMLElement && focused !== document.activeElement && focused.isConnected)
    focused.focus({ preventScroll: true });
}

/** Rows by their names, with the agent's name. */
function namedRows({ lists, tasks }: PageState) {
  const items = lists.flatMap(({ agent, items }) => items.map((row) => ({ row, who: agent })));
  const own = tasks.map((row) => ({ row, who: 'Team' }));
  return new Map([...items, ...own].map((named) => [named.row.name, named]));
}

/** Tells a screen reader the changes only. */
function tellNews(before: PageState | undefined, now: PageState): void {
  if (before === undefined || before.id !== now.id) return;
  const old = namedRows(before);
  const news = [...namedRows(now)].filter(
    ([name, { row }]) => old.get(name)?.row.status !== row.status,
  );
  if (news.length === 0) return;
  const told = news
    .slice(0, 5)
    .map(([, { row, who }]) => `${who}: ${statusText(row.status)}: ${row.text}`);
  byId('news').textContent = told.join('. ');
}

const tellConnection = (text: string, className: string) => {
  stoppedAt = className === 'live' ? undefined : (stoppedAt ?? Date.now());
  inPlace(() => Object.assign(byId('connection'), { textContent: text, className }));
};

function connect(): void {
  events?.close();
  heardAt = Date.now();
  const source = new EventSource(`events${location.search}`);
  events = source;
  source.onopen = () => tellConnection('live', 'live');
  source.onerror = () => {
    tellConnection(LOST, 'lost');
    // After an answer that is no event stream the browser gives up.
    if (source.readyState === EventSource.CLOSED) heardAt = 0;
  };
  source.onmessage = ({ data }) => {
    heardAt = Date.now();
    if (data !== '') inPlace(() => showPage(JSON.parse(data)));
  };
}

/** In the address, so that a reload and a bookmark show the same. */
function toggle(key: string): void {
  const search = addressParameters();
  const rest = search.getAll('open').filter((other) => other !== key);
  const isOpen = rest.length < search.getAll('open').length;
  search.delete('open');
  for (const other of isOpen ? rest : [...rest, key]) search.append('open', other);
  history.replaceState(null, '', search.size > 0 ? `?${search}` : location.pathname);
  inPlace(showRows);
  // The server sends histories and details only to a page that shows them.
  if (!isOpen && /^(?:history|task):/.test(key)) connect();
}

addEventListener('click', ({ target }) => {
  clicked = target instanceof Element ? target : undefined;
  const key = clicked?.closest<HTMLElement>('[data-fold]')?.dataset.fold;
  if (key !== undefined) toggle(key);
});
addEventListener('keydown', (event) => {
  const isTyping =
    event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
  if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    filter.focus();
    filter.select();
  } else if (event.key === 'Escape' && event.target === filter) {
    filter.value = '';
    filter.blur();
    inPlace(showRows);
  }
});
filter.addEventListener('input', () => inPlace(showRows));
sessionChoice.addEventListener('change', () => {
  history.pushState(null, '', `?session=${encodeURIComponent(sessionChoice.value)}`);
  connect();
});
addEventListener('popstate', connect);
addEventListener('resize', () => inPlace(showRows));
setInterval(() => {
  if (!document.hidden && stoppedAt === undefined) inPlace(showRows);
  if (Date.now() - heardAt <= SILENT_MS) return;
  tellConnection(LOST, 'lost');
  connect();
}, 1000);
connect();
