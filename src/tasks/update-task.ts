import type { Proof } from '../base/proof/proof.ts';
import { DEFAULT_AGENT, USER } from '../lists/place.ts';
import { type ClaimRules, claimedBy, reasonsAgainst } from './claims.ts';
import { changeLinks, removeTask, unblockedIn } from './dependencies.ts';
import { because, type Reason, type Refused } from './reasons.ts';
import { changedFields, type Task, type TaskGraph, type TaskStatus, withTasks } from './task.ts';
import { metadataProblem, TASK_FIELD_NAMES, type TaskChanges } from './task-fields.ts';

export interface UpdateRules extends ClaimRules {
  /** The author; undefined if unnamed. */
  readonly agent: string | undefined;
  /** The author of comments; default: the agent. */
  readonly by?: string;
  /** For a leader: skips the rules of a claim. */
  readonly force: boolean;
  readonly proven?: Proven | undefined;
  readonly requireProof?: boolean;
}

/** The proof of a task's check, and the task as it was when the check began. */
export interface Proven {
  readonly task: Task;
  readonly proof: Proof;
}

export interface Updated {
  /** The given graph if nothing has changed. */
  readonly graph: TaskGraph;
  readonly before: Task;
  /** Undefined if the task is deleted. */
  readonly task: Task | undefined;
  /** Names of fields. */
  readonly changed: readonly string[];
  /** The open tasks that no longer wait for any. */
  readonly unblocked: readonly number[];
}

/** Older ones are dropped. */
const MOST_COMMENTS = 100;

/** Changes one task. Beginning it or changing its owner follows the rules of a claim. */
export function updateTask(
  graph: TaskGraph,
  changes: TaskChanges,
  rules: UpdateRules,
  at: string,
): Updated | Refused {
  // 1. Find the task.
  const before = graph.tasks.get(changes.taskId);
  if (before === undefined) return { refused: [because('task_not_found', changes.taskId)] };
  if (changes.status === 'deleted') {
    const without = removeTask(graph, before, at);
    const unblocked = unblockedIn(graph, without);
    return { graph: without, before, task: undefined, changed: ['deleted'], unblocked };
  }
  // 2. Link it, change its fields, find its owner, and refuse for all reasons at once.
  const linked = changeLinks(graph, before.id, changes, at);
  const links = 'refused' in linked ? graph : linked.graph;
  const old = links.tasks.get(before.id) ?? before;
  const fields = withFields(old, changes, rules.by ?? rules.agent, at);
  const claim = nextOwner(links, old, changes, rules);
  const refused = [
    ...('refused' in linked ? linked.refused : []),
    ...(rules.force ? [] : objections(before, fields, changes.status, rules)),
    ...('refused' in claim ? claim.refused : []),
  ];
  if (refused.length > 0 || 'refused' in claim) return { refused };
  // 3. Change its owner, then its proof.
  const problem = changes.metadata && metadataProblem(fields.metadata ?? {});
  if (problem) return { refused: [because('too_large', problem)] };
  const owned = withOwner(fields, changes.status ?? old.status, claim.owner, rules, at);
  const task = withProof(before, owned, rules);
  // 4. Report what has changed.
  const changed = changedFields(before, task).filter((field) => field !== 'lostBy');
  if (changed.length === 0) return { graph, before, task: before, changed, unblocked: [] };
  const after = withTasks(links, [{ ...task, updatedAt: at }]);
  return {
    graph: after,
    before,
    task: after.tasks.get(task.id),
    changed: changed
      .filter((field) => field !== 'proof' || changed.length === 1)
      .map((field) => (field === 'comments' ? 'comment' : field)),
    unblocked: unblockedIn(graph, after),
  };
}

/** The owner after the change, or the reasons against it. */
function nextOwner(
  graph: TaskGraph,
  task: Task,
  { status, owner }: TaskChanges,
  rules: UpdateRules,
): Pick<Task, 'owner'> | Refused {
  const isClaim = status === 'in_progress' || (owner !== undefined && owner !== task.owner);
  if (!isClaim) return task;
  const { force } = rules;
  const claimant = owner ?? rules.agent;
  if (claimant === undefined) {
    // A task that stays in progress needs no name.
    const goesOn = task.status === 'in_progress' || (force && task.owner !== undefined);
    return goesOn ? task : { refused: [because('no_agent')] };
  }
  const refused = force ? [] : reasonsAgainst(graph, task, { ...rules, agent: claimant });
  return refused.length > 0 ? { refused } : { owner: claimant };
}

const CHECK_IS_THEIRS = '; its check may be changed by its owner and its creator';

/** A check says when the owner is done: only the owner, the creator and a person may change it. */
export function checkOfOthers(
  { id, owner, createdBy, check, status }: Task,
  next: string | undefined,
  agent: string | undefined,
): Reason[] {
  const mayChange = owner === undefined || [owner, createdBy, USER].includes(agent);
  if (next === check || mayChange) return [];
  return status === 'completed'
    ? [because('not_yours', id, owner, status, CHECK_IS_THEIRS)]
    : [because('already_claimed', id, owner, CHECK_IS_THEIRS)];
}

/** A proof does not hold for a task that is another by now. */
const PROVEN_FIELDS = ['check', 'status', 'owner'] as const;

/** The reasons against a change that a leader may make all the same. */
function objections(
  before: Task,
  { check }: Task,
  status: TaskChanges['status'],
  rules: UpdateRules,
): Reason[] {
  const { id, owner, lostBy = [] } = before;
  const { agent, by = agent, proven, requireProof } = rules;
  const reasons = checkOfOthers(before, check, by);
  if (proven && PROVEN_FIELDS.some((field) => before[field] !== proven.task[field])) {
    return [because('built_upon', [id], `while its check ran; to run it again: TaskProve ${id}`)];
  }
  if (status !== 'completed' || before.status === 'completed') return reasons;
  // An agent that lost the task may not report its completion.
  if (by !== undefined && by !== owner && lostBy.includes(by)) {
    reasons.push(because('lease_lost', id, owner));
  }
  if (requireProof && check !== undefined && proven === undefined) {
    reasons.push(because('unproven', id, check));
  }
  return reasons;
}

/** A proof ends with its check, and with the task's completion. */
function withProof(before: Task, { proof, ...task }: Task, { proven }: UpdateRules): Task {
  if (task.status !== 'completed' || task.check === undefined) return task;
  if (proven) return { ...task, proof: proven.proof };
  return proof !== undefined && before.check === task.check ? { ...task, proof } : task;
}

function withFields(
  task: Task,
  { comment, ...changes }: TaskChanges,
  by: string = DEFAULT_AGENT,
  at: string,
): Task {
  const { comments = [] } = task;
  const given = TASK_FIELD_NAMES.filter((name) => changes[name] !== undefined);
  return {
    ...task,
    // An empty text removes a field.
    ...Object.fromEntries(given.map((name) => [name, changes[name] || undefined])),
    description: changes.description ?? task.description,
    ...(changes.metadata !== undefined && { metadata: merged(task.metadata, changes.metadata) }),
    ...(comment !== undefined && {
      comments: [...comments, { by, at, text: comment }].slice(-MOST_COMMENTS),
    }),
  };
}

/** Only a task in progress has a lease and a session, and only a completed one can be archived. */
function withOwner(
  task: Task,
  status: TaskStatus,
  owner: string | undefined,
  rules: UpdateRules,
  at: string,
): Task {
  const { agent, by = agent, session } = rules;
  const isBegun = status === 'in_progress';
  const isNew = task.status !== 'in_progress' || owner !== task.owner;
  if (isBegun && isNew && owner !== undefined) {
    const own = owner === by ? session : undefined;
    return claimedBy(task, { ...rules, agent: owner, session: own }, at);
  }
  const { lease, begunIn, isArchived, ...rest } = task;
  return {
    ...rest,
    status,
    owner,
    lease: isBegun ? lease : undefined,
    begunIn: isBegun ? begunIn : undefined,
    isArchived: status === 'completed' ? isArchived : undefined,
  };
}

function merged(
  before: Readonly<Record<string, unknown>> = {},
  changes: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries({ ...before, ...changes }).filter(([key]) => changes[key] !== null),
  );
}
