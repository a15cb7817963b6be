import { proofMark, statusText } from '../base/command/status.ts';
import { commandText, linesOf } from '../base/safe-text.ts';
import { agentName, shortNames } from '../screen/panel/look.ts';
import { rowsOnce } from '../screen/panel/status-times.ts';
import { leaseEnd, machineClock } from '../tasks/lease.ts';
import type { Task, TaskGraph } from '../tasks/task.ts';
import { changeText, type TaskChangeEntry, taskChangesIn } from '../tasks/task-history.ts';
import type { TaskVersion } from '../tasks/task-store.ts';
import { changeOfVersion } from '../todo/list-text.ts';
import { contentKey } from '../todo/pair-items.ts';
import type { Item } from '../todo/todo-fields.ts';
import type { TodoVersion } from '../todo/todo-version.ts';

/** One fact of an item or a task, for people. */
export interface Detail {
  readonly label: string;
  /** In milliseconds since 1970. */
  readonly at?: number | undefined;
  /** The end of a lease. */
  readonly ends?: number | undefined;
  readonly lines: readonly string[];
}

export interface Entry {
  readonly version: number;
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly by: string;
  readonly text: string;
}

const MOST_CHANGES = 20;

/** All that is known of a task. @param leaseEnds in milliseconds since 1970. */
export function taskDetails(
  versions: readonly TaskVersion[],
  id: number,
  leaseEnds?: number,
): Detail[] {
  const graph = versions[0]?.graph;
  const task = graph?.tasks.get(id);
  const known = graph && task ? taskFacts(graph, task, leaseEnds) : [fact('Status', 'deleted')];
  const changes = changesOf(versions).filter(({ ids }) => ids.includes(id));
  const history = changes.slice(0, MOST_CHANGES).map((entry) => ({
    label: 'History',
    at: +entry.at,
    lines: [shortNames(`${entry.after.by ?? '-'}: ${changeText({ ...entry, ids: [id] })}`)],
  }));
  return [...known, ...history].filter(
    ({ lines, at }) => at !== undefined || lines.join('') !== '',
  );
}

function taskFacts({ tasks }: TaskGraph, task: Task, leaseEnds: number | undefined): Detail[] {
  const { status, owner = '', priority = '', description, comments = [] } = task;
  const { createdAt, createdBy = '-' } = task;
  const links = (ids: readonly number[]) =>
    ids.map(
      (id) =>
        `#${id} ${tasks.get(id)?.subject} (${statusText(tasks.get(id)?.status ?? 'deleted')})`,
    );
  return [
    fact('Status', statusText(status)),
    fact('Owner', agentName(owner)),
    { label: 'Lease until', at: leaseEnds, ends: leaseEnds, lines: [] },
    fact('Priority', priority),
    { label: 'Description', lines: linesOf(description) },
    { label: 'Blocked by', lines: links(task.blockedBy) },
    { label: 'Blocks', lines: links(task.blocks) },
    ...checkDetails(task),
    ...comments.map(({ by, at, text }) => ({
      label: `Comment by ${agentName(by)}`,
      at: Date.parse(at),
      lines: linesOf(text),
    })),
    { label: 'Created by', at: Date.parse(createdAt), lines: [agentName(createdBy)] },
  ];
}

/** As `taskDetails`, of an item of a list. */
export function itemDetails(versions: readonly TodoVersion[], item: Item): Detail[] {
  const { status, activeForm, content, check: _, proof: __, ...others } = item;
  const history: Detail[] = [];
  versions.forEach((version, index) => {
    const inVersion = (one: TodoVersion | undefined) =>
      one?.items.find((other) => contentKey(other) === contentKey(item))?.status;
    const now = inVersion(version);
    const isKnown = index + 1 < versions.length || version.version === 1;
    if (now === undefined || !isKnown || now === inVersion(versions[index + 1])) return;
    const lines = [`${agentName(version.by)}: ${statusText(now)}`];
    history.push({ label: 'History', at: +version.updatedAt, lines });
  });
  return [
    fact('Status', statusText(status)),
    fact('Active form', activeForm === content ? '' : activeForm),
    ...Object.entries(others).map(([name, text]) => fact(inTitleCase(name), text)),
    ...checkDetails(item),
    ...history.slice(0, MOST_CHANGES),
  ].filter(({ lines }) => lines.join('') !== '');
}

function checkDetails(of: Pick<Task, 'status' | 'check' | 'proof'>): Detail[] {
  const { check, proof } = of;
  if (!check) return [];
  const exit = proof && `exit ${proof.exitCode}, for ${agentName(proof.by)}`;
  return [
    fact('Check', commandText(check)),
    {
      label: 'Proof',
      at: proof && Date.parse(proof.at),
      lines: [exit ?? proofMark(of)],
    },
  ];
}

function fact(label: string, text: string): Detail {
  return { label, lines: [text] };
}

function inTitleCase(name: string): string {
  return name.replace(/^./, (letter) => letter.toUpperCase());
}

/** Newest first. Comparing all versions takes long. */
const changesOf = rowsOnce<TaskVersion, TaskChangeEntry>((_, versions) => [
  ...taskChangesIn(versions),
]);

export function taskEntries(versions: readonly TaskVersion[]): readonly Entry[] {
  return changesOf(versions).map((entry) => {
    const { version, at, after } = entry;
    return { version, at: +at, by: after.by ?? '-', text: shortNames(changeText(entry)) };
  });
}

export function entriesOf(versions: readonly TodoVersion[]): readonly Entry[] {
  return versions.map((version, index) => ({
    version: version.version,
    at: +version.updatedAt,
    by: version.by,
    text: changeOfVersion(version, versions[index + 1]),
  }));
}

/** The machine's, for leases. */
const CLOCK = machineClock();

/** When the lease of a task in progress ends, in milliseconds since 1970. */
export function leaseEndOf(task: Task | undefined): number | undefined {
  return task && leaseEnd(task, CLOCK);
}
