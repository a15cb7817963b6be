import { idsText, proofMark, type Ranked } from '../../base/command/status.ts';
import type { Task } from '../../tasks/task.ts';
import type { Item } from '../../todo/todo-fields.ts';
import { EMPTY_LINE, join, type Line, line, type Paint, padded } from '../terminal/lines.ts';
import { displayWidth, oneLine, truncate, wrap } from '../terminal/text.ts';
import type { ShownTimes } from './shown-times.ts';
import { GLYPH_OF, plainTheme, type Theme } from './theme.ts';

/** Longer rows are hard to read. */
export const LONGEST_ROW = 100;

/** An item or a team's task as all screens show it. */
export interface Shown extends Ranked {
  /** An item's content, or a task's number and subject. */
  readonly text: string;
  /** Its text while it is in progress. */
  readonly doing: string;
  /** Empty if there is none. */
  readonly owner: string;
  readonly proof: ReturnType<typeof proofMark>;
  /** An item's fields beside those above, as `due 2026-01-31`. */
  readonly more: readonly string[];
  /** Without completed tasks. */
  readonly blockedBy: readonly number[];
  readonly blocks: readonly number[];
}

export function shownItem(item: Item): Shown {
  const { status, priority, content: text, activeForm: doing } = item;
  const fields = Object.entries(item).filter(([name]) => !SHOWN_APART.has(name));
  const more = fields.map((field) => field.join(' '));
  return { status, priority, text, doing, owner: '', proof: proofMark(item), more, ...NO_LINKS };
}

const SHOWN_APART = new Set('status priority content activeForm id check proof'.split(' '));

const NO_LINKS = { blockedBy: [], blocks: [] };

/** @param links without completed tasks. */
export function shownTask(
  task: Pick<
    Task,
    'id' | 'status' | 'subject' | 'activeForm' | 'owner' | 'priority' | 'check' | 'proof'
  >,
  links: Pick<Shown, 'blockedBy' | 'blocks'>,
): Shown {
  const { id, status, priority, subject, activeForm = subject, owner = '' } = task;
  return {
    status,
    priority,
    text: `#${id} ${subject}`,
    doing: `#${id} ${activeForm}`,
    owner: agentName(owner),
    proof: proofMark(task),
    more: [],
    ...(status === 'completed' ? NO_LINKS : links),
  };
}

/** `Claude 1111` for the agent `main` with the session id of a harness, and any other as it is. */
export function agentName(agent: string): string {
  const [, own = '', id = ''] =
    /^([^@]+)@(ses_\w{8,}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i.exec(agent) ?? [];
  if (id === '') return agent;
  const isCodex = id[14] === '7';
  const harness = id.startsWith('ses_') ? 'opencode' : isCodex ? 'Codex' : 'Claude';
  // Ids of Codex and opencode begin with the time.
  return `${own === 'main' ? harness : own} ${harness === 'Claude' ? id.slice(0, 4) : id.slice(-4)}`;
}

/** A text for people, with these names of agents. Calls keep the whole ones. */
export function shortNames(text: string): string {
  return text.replace(/(?<!--agent |[^\s'"(])[^@\s'"(]{1,100}@[\w-]+/g, (name) => agentName(name));
}

/** `['app', '~/work']` for `~/work/app`; the second is empty for a name. */
export function sessionName(session: string): readonly [name: string, where: string] {
  const at = session.lastIndexOf('/');
  const name = session.slice(at + 1);
  return at === -1 || name === '' ? [session, ''] : [name, session.slice(0, at) || '/'];
}

export function textOfRow({ status, text, doing }: Shown): string {
  return status === 'in_progress' ? inProgressText(doing) : text;
}

/** Models write these dots, too. */
export function inProgressText(activeForm: string): string {
  return `${activeForm.replace(/[\s.…。]+$/, '')}...`;
}

/** Further details, the most important first. @param time how long it took or has been in progress, as text or an element. */
export function factsOf<Time = string>(shown: Shown, time?: Time): (string | Time)[] {
  const { status, priority = '', owner, proof, more, blockedBy, blocks } = shown;
  const facts = [
    owner,
    time,
    status === 'completed' || priority === 'medium' ? '' : priority,
    ...(status === 'completed' ? [] : more),
    blockedBy.length > 0 ? `blocked by ${idsText(blockedBy)}` : '',
    blocks.length > 0 ? `blocks ${idsText(blocks)}` : '',
    proof,
  ];
  return facts.filter((fact): fact is string | Time => fact !== undefined && fact !== '');
}

/** @param ends of the lease, in milliseconds since 1970. */
export function leaseOnBoard(ends: number | undefined, times: ShownTimes): string {
  const isOver = ends !== undefined && times.isPast(ends);
  return isOver ? `expired ${times.ago(ends)}, free to claim` : '';
}

export interface RowLook {
  readonly theme: Theme;
  readonly columns: number;
  /** At the end of the first row, as many as fit into half of it. */
  readonly facts?: readonly string[];
  /** All facts get rows of their own instead. */
  readonly factsBelow?: boolean;
  /** Before the mark. */
  readonly margin?: Line;
  /** The most rows for the text. */
  readonly most?: number;
  readonly isFresh?: boolean;
}

/** Fresh rows are bars across all columns, in the colour of their status. */
export function rowLines(shown: Shown, look: RowLook): Line[] {
  const { theme, columns, isFresh } = look;
  if (!isFresh) return drawnRows(shown, look);
  return drawnRows(shown, { ...look, theme: plainTheme(theme) }).map((row) => {
    const { text, width } = padded(row, columns);
    return { text: theme.fresh[shown.status](text), width };
  });
}

function drawnRows(shown: Shown, look: RowLook): Line[] {
  const { theme, columns, facts = [], factsBelow = false, margin = EMPTY_LINE } = look;
  const { most = Number.POSITIVE_INFINITY } = look;
  const paint = paintOf(shown, theme);
  const isDone = shown.status === 'completed';
  const mark = line(theme[GLYPH_OF[shown.status]], isDone ? theme.paint.done : paint);
  const room = columns - margin.width - 2;
  if (room < 1) return [join(margin, mark)];
  const said = facts.map((fact) => printable(fact, theme));
  const dot = ` ${theme.dot} `;
  const fits = (some: readonly string[]) => displayWidth(some.join(dot)) <= (room - 1) / 2;
  const isBelow = factsBelow && said.length > 0;
  const beside = isBelow
    ? []
    : said.slice(0, said.findLastIndex((_, at) => fits(said.slice(0, at + 1))) + 1);
  const aside = beside.join(dot);
  const width = aside === '' ? room : room - displayWidth(aside) - 1;
  const texts = cutRows(wrap(printable(textOfRow(shown), theme), width), width, most, theme);
  const asidePaint = shown.status === 'in_progress' ? paint : theme.paint.faint;
  const rows = texts.map((text, index) => {
    const start = index === 0 ? join(margin, mark, line(' ')) : padded(EMPTY_LINE, columns - room);
    if (index > 0 || aside === '') return join(start, line(text, paint));
    const gap = line(' '.repeat(room - displayWidth(text + aside)));
    return join(start, line(text, paint), gap, factsLine(aside, shown, theme, asidePaint));
  });
  if (!isBelow) return rows;
  const indent = padded(EMPTY_LINE, Math.min(columns - room + 2, columns - 1));
  const below = wrap(said.join(dot), columns - indent.width);
  const { faint } = theme.paint;
  return [...rows, ...below.map((text) => join(indent, factsLine(text, shown, theme, faint)))];
}

/** A high priority stands out, a low one does not. */
function factsLine(text: string, { priority }: Shown, { paint }: Theme, rest: Paint): Line {
  const parts = priority ? text.split(new RegExp(`(?<!\\S)(${priority})(?!\\S)`)) : [text];
  const own = priority === 'high' ? paint.high : paint.faint;
  return join(...parts.map((part) => line(part, part === priority ? own : rest)));
}

/** Blocked tasks are dim. */
function paintOf({ status, blockedBy }: Shown, { paint }: Theme): Paint {
  return status === 'pending' && blockedBy.length > 0 ? paint.faint : paint[GLYPH_OF[status]];
}

/** At most so many rows; the last one is cut. */
export function cutRows(
  rows: string[],
  width: number,
  most: number,
  { ellipsis }: Theme,
): string[] {
  if (rows.length <= most) return rows;
  const rest = rows.slice(most - 1).join(' ');
  return [...rows.slice(0, most - 1), truncate(rest, width, ellipsis)];
}

/** One line of text; for a terminal without Unicode in ASCII, since it may take other bytes for controls. */
export function printable(text: string, theme: Theme): string {
  const shown = oneLine(text);
  return theme.unicode ? shown : shown.replace(/[^ -~]\p{M}*/gu, '?');
}
