import { timeText } from '../base/command/replies.ts';
import { idsText, proofMark } from '../base/command/status.ts';
import { jsonLine } from '../base/json/fields.ts';
import { commandText, linesOf, markdownText, nameText, safeText } from '../base/safe-text.ts';
import { isLeaseOver, type LeaseClock } from './lease.ts';
import type { Reason } from './reasons.ts';
import { openBlockers, type Task, type TaskGraph } from './task.ts';

/**
 * `#4 [pending] Write docs (agent-1) [blocked by #1, #3]`, with open blockers only.
 *
 * @param clock for its lease; without it the lease is not mentioned.
 */
export function taskLine(graph: TaskGraph, task: Task, clock: LeaseClock | undefined): string {
  const blockers = openBlockers(graph, task);
  const owner = task.owner === undefined ? '' : ` (${nameText(task.owner)})`;
  const blocked = blockers.length > 0 ? ` [blocked by ${idsText(blockers)}]` : '';
  const priority = task.priority === undefined ? '' : ` [${task.priority}]`;
  const proof = proofMark(task) && ` [${proofMark(task)}]`;
  const lease = clock && isLeaseOver(task, clock) ? ' [lease expired]' : '';
  return `#${task.id} [${task.status}] ${safeText(task.subject)}${owner}${priority}${blocked}${proof}${lease}`;
}

/** A time as it is stored, or, for people, local and to the second. */
export function storedTime(at: string, isLocal: boolean): string {
  return isLocal ? timeText(new Date(at), true) : at;
}

/** A task in full. Only our own lines begin at the margin, so that no description can look like a field. */
export function taskPage({ tasks }: TaskGraph, task: Task, isLocal: boolean): string {
  const timeOf = (at: string) => storedTime(at, isLocal);
  const { id, description, activeForm, owner, status, blocks, blockedBy, metadata } = task;
  const withStatus = (other: number) => `#${other} (${tasks.get(other)?.status})`;
  const lines = [
    `Task #${id}: ${safeText(task.subject)}`,
    `Status: ${status}`,
    owner !== undefined && `Owner: ${safeText(owner)}`,
    task.check !== undefined && `Check: ${commandText(task.check)}${provenText(task)}`,
    task.priority !== undefined && `Priority: ${task.priority}`,
    activeForm !== undefined && `Active form: ${safeText(activeForm)}`,
    blockedBy.length > 0 && `Blocked by: ${blockedBy.map(withStatus).join(', ')}`,
    blocks.length > 0 && `Blocks: ${blocks.map(withStatus).join(', ')}`,
    metadata && `Metadata: ${jsonLine(metadata).trimEnd()}`,
    `Created: ${timeOf(task.createdAt)}`,
    `Updated: ${timeOf(task.updatedAt)}`,
    ...(description === '' ? [] : ['Description:', ...indented(description)]),
    ...(task.comments ?? []).flatMap(({ by, at, text }) => [
      `Comment by ${nameText(by)}, ${timeOf(at)}:`,
      ...indented(text),
    ]),
  ];
  return lines
    .filter((line) => typeof line === 'string')
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

const indented = (text: string) => linesOf(text).map((line) => `  ${safeText(line)}`);

function provenText(task: Task): string {
  const { proof } = task;
  const seen = proof
    ? `: ${safeText(proof.command)} exited with ${proof.exitCode}, ${proof.at}, for ${nameText(proof.by)}`
    : '';
  return proofMark(task) && ` (${proofMark(task)}${seen})`;
}

export function reasonLines(reasons: readonly Reason[]): { lines: string[] } {
  return { lines: reasons.map(({ code, text }) => `${code}: ${text}`) };
}

/** A list of checkboxes, as on GitHub. */
export function exportMarkdown(graph: TaskGraph, tasks: readonly Task[]): string {
  return tasks
    .map((task) => {
      const box = task.status === 'completed' ? 'x' : ' ';
      const blockers = openBlockers(graph, task);
      const facts = [
        task.status === 'in_progress' ? 'in progress' : '',
        task.owner === undefined ? '' : nameText(task.owner),
        task.priority ?? '',
        blockers.length > 0 ? `blocked by ${idsText(blockers)}` : '',
      ].filter(Boolean);
      const note = facts.length > 0 ? ` (${markdownText(facts.join('; '))})` : '';
      const lines = linesOf(task.description).filter((line) => line.trim() !== '');
      const below = lines.map((line) => `  ${markdownText(line)}\n`).join('');
      return `- [${box}] \\#${task.id} ${markdownText(task.subject)}${note}\n${below && `\n${below}\n`}`;
    })
    .join('');
}
