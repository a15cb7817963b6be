import { dirname, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { LogEntry } from '../../../src/state/log-place.ts';
import type { Version } from '../../../src/state/place.ts';
import { ServerLists } from '../../../src/state/server-lists.ts';
import type { TaskStep } from '../../../src/tasks/stored-tasks.ts';
import { cleanEnvironment, executable, startProgram } from '../../helpers/executables.ts';
import { temporaryDirectory } from '../../helpers/files.ts';
import { contradictions, type Logged, Model, type Stored } from '../../tasks/linearizability.ts';
import { storedSteps } from '../../tasks/stored-steps.ts';

type Entry = Version<LogEntry<TaskStep>>;

const COMMANDS = dirname(executable('todo-write'));
const BATCH = 500;
const now = () => Number(process.hrtime.bigint() / 1000n);

/** The result of one call of `TaskClaim --next`. */
interface Claim {
  readonly agent: string;
  readonly start: number;
  readonly end: number;
  /** The task that it reports. */
  readonly id: number | undefined;
  /** Whether it reports an unknown outcome. */
  readonly isOpen: boolean;
}

/** Agents that claim the tasks of one list with the real commands, each call in its own process. */
export class ClaimingTeam {
  readonly #env: Record<string, string>;
  readonly #cwd = temporaryDirectory();
  readonly #claims: Claim[] = [];
  readonly #entries = new Map<number, Entry>();

  /** @param url of a list that nobody else uses. */
  constructor(url: string) {
    this.#env = cleanEnvironment({
      HOME: this.#cwd,
      TODO_STATE_URL: url,
      TODO_TEAM: 'claims',
      TODO_MAX_ITEMS: String(BATCH),
      // Each version must be a claim, not a renewal.
      TODO_LEASE: 'off',
    });
  }

  /** Acknowledged claims so far. */
  get claimed(): number {
    return this.#claims.filter(({ id }) => id !== undefined).length;
  }

  async create(tasks: number): Promise<void> {
    await this.#collectAll();
    for (let first = 0; first < tasks; first += BATCH) {
      const count = Math.min(BATCH, tasks - first);
      const batch = Array.from({ length: count }, () => ({ subject: 'lead' }));
      const { exitCode, stderr } = await this.#run('lead', 'TaskCreate', ['-'], batch);
      if (exitCode !== 0) throw new Error(stderr);
    }
  }

  async claimAll(agents: number): Promise<void> {
    const work = async (agent: string) => {
      for (;;) {
        const start = now();
        const { exitCode, stdout, stderr } = await this.#run(agent, 'TaskClaim', ['--next']);
        if (/nothing_ready/.test(stderr)) return;
        const [, id] = /^Task #(\d+) claimed by/.exec(stdout) ?? [];
        // Only 0 with a task, or 3 with a reason.
        expect([exitCode, id === undefined], stderr).toEqual(id ? [0, false] : [3, true]);
        const isOpen = stderr.includes('not known whether the change was made');
        if (!isOpen && !id)
          expect(stderr).toMatch(/nothing was changed|cannot read|cannot be reac/);
        this.#claims.push({ agent, start, end: now(), id: id ? Number(id) : undefined, isOpen });
      }
    };
    await Promise.all(Array.from({ length: agents }, (_, index) => work(`agent-${index + 1}`)));
  }

  /** What was acknowledged exists, and could come from claims made one after the other. */
  async judge(tasks: number): Promise<void> {
    // Not by the lead: reading news makes a version.
    const { stdout } = await this.#run('judge', 'TaskList', ['--json']);
    const { version } = JSON.parse(stdout);
    await expect.poll(() => this.#entries.size, { timeout: 60_000 }).toBe(version);
    const entries = [...this.#entries.values()].sort((a, b) => a.version - b.version);
    const stored = storedSteps(entries);
    const created = Math.ceil(tasks / BATCH);
    const madeBy = (agent: string, id: number) =>
      stored.filter(({ by, changed }) => by === agent && changed.some((task) => task.id === id));
    const logged = this.#claims.flatMap(({ agent, start, end, id, isOpen }, index): Logged[] => {
      const operation = { kind: 'claim', id: 'next' } as const;
      const claim = { key: `${agent}.${index}`, process: agent, agent, operation, start };
      if (id === undefined) return isOpen ? [claim] : [];
      const made = madeBy(agent, id);
      expect(made, `${agent} was told that it has #${id}`).toHaveLength(1);
      return [{ ...claim, end, version: (made[0] as Stored).version }];
    });
    const model = new Model();
    for (let id = 1; id <= tasks; id++) model.create('lead');
    expect(contradictions(logged, stored.slice(created), model, created)).toEqual([]);
    expect(stored).toHaveLength(created + tasks);
    const ids = this.#claims.flatMap(({ id }) => (id === undefined ? [] : [id]));
    expect(new Set(ids).size).toBe(ids.length);
  }

  /** The server keeps only the last versions. */
  async #collectAll(): Promise<void> {
    const { TODO_STATE_URL: url = '' } = this.#env;
    const lists = new ServerLists({ url, environment: this.#env, timeoutMs: 5000 });
    const options = { author: 'reader', history: 1_000_000 };
    const place = lists.place<LogEntry<TaskStep>>('tasks/claims', options);
    const look = async () => {
      const from = this.#entries.size + 1;
      const versions = await Promise.resolve(place.history({ from })).catch(() => []);
      for (const entry of versions) this.#entries.set(entry.version, entry);
    };
    const end = place.watch(() => void look());
    onTestFinished(async () => {
      end();
      await lists.close();
    });
  }

  #run(agent: string, command: string, argv: readonly string[], input: unknown = '') {
    const env = { ...this.#env, TODO_AGENT: agent };
    const text = input === '' ? '' : JSON.stringify(input);
    return startProgram(join(COMMANDS, command), argv, { env, cwd: this.#cwd, input: text }).ended;
  }
}
