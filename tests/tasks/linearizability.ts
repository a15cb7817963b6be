import { isDeepStrictEqual } from 'node:util';

// A second model of a list of tasks, without a line of the sources, and a check that a history of concurrent operations is
// linearizable.

export type Operation =
  | { kind: 'claim'; id: number | 'next' }
  | { kind: 'complete' | 'delete' | 'release'; id: number }
  | { kind: 'rename'; id: number; subject: string }
  | { kind: 'link'; id: number; blocker: number }
  | { kind: 'create'; blockers: number[] };

/** An operation as logged by its process; without an end if the process was killed. */
export interface Logged {
  key: string;
  /** Unique, also if it continues the work of a killed process's agent. */
  process: string;
  agent: string;
  operation: Operation;
  /** Microseconds of a clock that all processes share. */
  start: number;
  end?: number;
  /** The version that it made or, if it changed nothing, found. */
  version?: number;
  refused?: string[];
}

export interface Stored {
  version: number;
  /** The process that made it. */
  by: string;
  deleted: readonly number[];
  changed: readonly {
    id: number;
    subject: string;
    status: string;
    owner?: string;
    blocks: readonly number[];
    blockedBy: readonly number[];
  }[];
}

interface ModelTask {
  subject: string;
  status: string;
  owner: string | undefined;
  blockedBy: Set<number>;
}

/** Tasks that know what they wait for, and nothing else. */
export class Model {
  readonly tasks = new Map<number, ModelTask>();
  nextId = 1;

  create(subject: string, blockers: readonly number[] = []): void {
    const blockedBy = new Set(blockers);
    this.tasks.set(this.nextId++, { subject, status: 'pending', owner: undefined, blockedBy });
  }

  /** Does the operation, or returns the codes of the reasons against it. */
  do(agent: string, operation: Operation): string[] {
    if (operation.kind === 'create') {
      const missing = operation.blockers.filter((id) => !this.tasks.has(id));
      if (missing.length === 0) this.create(agent, operation.blockers);
      return missing.map(() => 'task_not_found');
    }
    const id = operation.id === 'next' ? this.#firstReady() : operation.id;
    const task = id === undefined ? undefined : this.tasks.get(id);
    if (id === undefined) return ['nothing_ready'];
    if (task === undefined) return ['task_not_found'];
    const isOthers = task.owner !== undefined && task.owner !== agent;
    switch (operation.kind) {
      case 'claim': {
        if (task.status === 'completed') return ['already_resolved'];
        const reasons = [
          ...(isOthers ? ['already_claimed'] : []),
          ...(this.#isBlocked(task) ? ['blocked'] : []),
        ];
        if (reasons.length === 0) Object.assign(task, { owner: agent, status: 'in_progress' });
        return reasons;
      }
      case 'complete':
        task.status = 'completed';
        return [];
      case 'rename':
        task.subject = operation.subject;
        return [];
      case 'release':
        if (task.status === 'completed') return ['already_resolved'];
        if (isOthers) return ['already_claimed'];
        Object.assign(task, { owner: undefined, status: 'pending' });
        return [];
      case 'delete':
        this.tasks.delete(id);
        for (const other of this.tasks.values()) other.blockedBy.delete(id);
        return [];
      case 'link':
        if (!this.tasks.has(operation.blocker)) return ['task_not_found'];
        if (operation.blocker === id) return ['blocks_itself'];
        if (this.#waitsFor(operation.blocker, id)) return ['cycle'];
        task.blockedBy.add(operation.blocker);
        return [];
    }
  }

  /** In the words of the list. */
  task(id: number): object | undefined {
    const task = this.tasks.get(id);
    if (task === undefined) return undefined;
    const blocks = [...this.tasks].flatMap(([other, { blockedBy }]) =>
      blockedBy.has(id) ? [other] : [],
    );
    return { id, ...task, blockedBy: [...task.blockedBy].sort((a, b) => a - b), blocks };
  }

  #isBlocked(task: ModelTask): boolean {
    return [...task.blockedBy].some((id) => this.tasks.get(id)?.status !== 'completed');
  }

  #firstReady(): number | undefined {
    for (const [id, task] of this.tasks) {
      const isFree = task.status === 'pending' && task.owner === undefined;
      if (isFree && !this.#isBlocked(task)) return id;
    }
    return undefined;
  }

  #waitsFor(id: number, other: number, seen = new Set<number>()): boolean {
    if (id === other) return true;
    if (seen.has(id)) return false;
    seen.add(id);
    return [...(this.tasks.get(id)?.blockedBy ?? [])].some((next) =>
      this.#waitsFor(next, other, seen),
    );
  }
}

/**
 * Everything that contradicts a sequence of the operations in the order of their versions, each between its start and its
 * end.
 *
 * @param model the list at version `from`.
 */
export function contradictions(
  logged: readonly Logged[],
  stored: readonly Stored[],
  model: Model,
  from: number,
): string[] {
  return [...outOfTime(logged), ...outOfOrder(logged, stored, model, from)];
}

/** An operation that begins after another has ended must not find, or make, an earlier version. */
function outOfTime(logged: readonly Logged[]): string[] {
  const ended = logged.filter(({ end }) => end !== undefined);
  const byEnd = [...ended].sort((a, b) => Number(a.end) - Number(b.end));
  const found: string[] = [];
  let newest = 0;
  let next = 0;
  for (const operation of [...ended].sort((a, b) => a.start - b.start)) {
    for (; Number(byEnd[next]?.end) < operation.start; next++) {
      newest = Math.max(newest, Number(byEnd[next]?.version));
    }
    if (Number(operation.version) < newest) {
      found.push(`${operation.key} is at version ${operation.version}, after version ${newest}`);
    }
  }
  return found;
}

/** Repeats all operations in the order of their versions, and compares the results. */
function outOfOrder(
  logged: readonly Logged[],
  stored: readonly Stored[],
  model: Model,
  from: number,
): string[] {
  const found: string[] = [];
  for (let version = from; version <= from + stored.length; version++) {
    const here = logged.filter((operation) => operation.version === version);
    const step = stored[version - from - 1];
    // The first of its process at a version which that process made, or the one during which it was killed.
    const maker =
      here.find(({ process }) => process === step?.by) ??
      logged.find(({ process, end }) => process === step?.by && end === undefined);
    if (step) {
      if (maker === undefined) return [...found, `nobody made version ${version}, by ${step.by}`];
      const reasons = model.do(maker.agent, maker.operation);
      if (reasons.length > 0 || maker.refused) {
        found.push(`${maker.key} made version ${version}, should have got ${reasons}`);
      }
      found.push(...differences(model, step));
    }
    for (const operation of here) {
      if (operation !== maker) found.push(...unlikeNoChange(model, operation));
    }
    if (found.length > 10) return found;
  }
  return found;
}

/** An operation that made no version had nothing to change, or was refused for the right reasons. */
function unlikeNoChange(
  model: Model,
  { key, agent, operation, version, refused = [] }: Logged,
): string[] {
  const id = 'id' in operation && operation.id !== 'next' ? operation.id : undefined;
  const before = JSON.stringify(id && model.task(id));
  const reasons = model.do(agent, operation);
  if (!isDeepStrictEqual(reasons, refused)) {
    return [`${key} at version ${version}: got ${refused}, should have got ${reasons}`];
  }
  const isSame = reasons.length > 0 || (id && JSON.stringify(model.task(id)) === before);
  return isSame ? [] : [`${key} ought to have changed version ${version}`];
}

function differences(model: Model, { version, changed, deleted }: Stored): string[] {
  const wrong = changed.filter((task) => !isDeepStrictEqual(comparable(task), model.task(task.id)));
  return [
    ...wrong.map((task) => {
      const [is, shouldBe] = [comparable(task), model.task(task.id)].map((of) =>
        JSON.stringify(of),
      );
      return `version ${version} has ${is}, should have ${shouldBe}`;
    }),
    ...deleted
      .filter((id) => model.tasks.has(id))
      .map((id) => `version ${version} should still have #${id}`),
  ];
}

/** In the words of the model. */
export function comparable(task: Stored['changed'][number]): object {
  const { id, subject, status, owner, blocks, blockedBy } = task;
  const sorted = (ids: readonly number[]) => [...ids].sort((a, b) => a - b);
  return { id, subject, status, owner, blockedBy: sorted(blockedBy), blocks: sorted(blocks) };
}
