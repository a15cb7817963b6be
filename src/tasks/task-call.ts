import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Invocation } from '../base/command/agent-command.ts';
import { HELP_OPTIONS, type Options } from '../base/command/options.ts';
import { CheckRunner } from '../base/proof/proof.ts';
import { NOWHERE, runProgram } from '../base/proof/run-program.ts';
import { safeText } from '../base/safe-text.ts';
import type { Settings } from '../base/settings/settings.ts';
import { isProgram } from '../base/system/access.ts';
import type { ClaimRules } from './claims.ts';
import { because, type Reason, type Refused } from './reasons.ts';
import type { Task, TaskGraph } from './task.ts';
import { callerOf, checkedIn, checkIn, type TaskContext } from './task-context.ts';
import type { Done, NotDone, TaskStore } from './task-store.ts';

export const COMMON_OPTIONS = { '--list': 'name', '--agent': 'name', ...HELP_OPTIONS } as const;

/** With types for the options that all commands have. */
export type TaskOptions = Options<typeof COMMON_OPTIONS> & Readonly<Record<`--${string}`, unknown>>;

const HOOK_LIMIT_MS = 30_000;
/** A hook that changes the tasks in question, such as by a comment, would be asked for ever. */
const MOST_ASKED = 5;
const ASKED_TOO_OFTEN = `asked ${MOST_ASKED} times, each time about other tasks; a hook must not change them`;
const MAX_REASON_CHARACTERS = 1000;

function hooksFolder({ around = NOWHERE }: TaskContext, { hooksDir }: Settings) {
  return hooksDir && resolve(around.cwd, hooksDir);
}

/** Warns of a folder of hooks that is missing or closed: none of its hooks would be asked. */
export function hooksWarnings(context: TaskContext, settings: Settings): readonly string[] {
  const folder = hooksFolder(context, settings);
  if (!folder || existsSync(`${folder}/.`)) return [];
  return [
    `Warning: TODO_HOOKS_DIR must be a folder, received '${safeText(folder)}'; using no hooks`,
  ];
}

/** One call of a command: whose it is, on which list, and how. */
export class TaskCall {
  readonly store: TaskStore;
  /** The caller; by default `main`. */
  readonly agent: string;
  readonly context: TaskContext;
  readonly settings: Settings;
  readonly options: TaskOptions;
  readonly checks: CheckRunner;
  readonly #invocation: Invocation;
  /** The caller's name, if it has said one. */
  readonly #said: string | undefined;
  readonly #approved = new Set<string>();
  #news: readonly string[] | undefined;
  #asked = 0;

  /** @param isAboutAgent true if `--agent` names the subject of the command, not the caller. */
  constructor(
    context: TaskContext,
    invocation: Invocation,
    settings: Settings,
    options: TaskOptions,
    isAboutAgent = false,
  ) {
    const named = isAboutAgent ? undefined : options['--agent']?.trim();
    // A caller may name itself even if the host's settings ignore callers.
    this.#said = named ?? (invocation.env?.TODO_AGENT?.trim() || settings.agent);
    this.agent = callerOf(context, { agent: this.#said });
    this.store = context.open(options['--list'], { ...settings, agent: this.agent });
    this.context = context;
    this.settings = settings;
    this.options = options;
    this.#invocation = invocation;
    this.checks = new CheckRunner(invocation, {
      by: this.agent,
      now: this.store.now,
      timeout: settings.proofTimeout,
      around: context.around,
    });
  }

  /** True if a person reads the reply: its times are local. */
  get isForPerson(): boolean {
    return this.context.forPeople !== undefined;
  }

  get rules(): ClaimRules {
    const { oneTaskPerAgent, leaseMs } = this.settings;
    return {
      checkBusy: oneTaskPerAgent || this.options['--check-busy'] === true,
      clock: this.store.clock,
      leaseMs,
      session: this.#invocation.session?.id ?? this.context.session,
    };
  }

  /** Makes a change, in which the caller also checks in: one version, not two. */
  async change<Change extends { readonly graph: TaskGraph }>(
    plan: (graph: TaskGraph, at: string) => Change | Refused,
    approve?: (change: Change) => Promise<Reason | undefined>,
  ): Promise<Done<Change> | NotDone> {
    const { agent, store } = this;
    let news: readonly string[] | undefined;
    const withNews = (before: TaskGraph, at: string): Change | Refused => {
      const change = plan(before, at);
      if ('refused' in change || change.graph === before) return change;
      const { graph, news: told } = checkedIn(change.graph, agent, store.clock, this.#isTold);
      news = told;
      return { ...change, graph };
    };
    const outcome = await store.change(withNews, approve, agent);
    if (!('refused' in outcome)) this.#news = news;
    return outcome;
  }

  /** The caller's new notices: those taken with its change, or else now. */
  async news(): Promise<readonly string[]> {
    return this.#news ?? checkIn(this.agent, this.store, this.#isTold);
  }

  get #isTold(): boolean {
    return this.settings.guidance !== 'off';
  }

  /**
   * The claiming agent. One without a name of its own may claim on its own list, which no other agent uses, or with the id
   * of its harness's session; else this is undefined.
   */
  claimant({ tasks }: TaskGraph): string | undefined {
    const { agent } = this;
    if (this.#said !== undefined || agent.includes('@')) return agent;
    if (this.options['--list'] !== undefined || this.settings.taskList !== undefined)
      return undefined;
    for (const { owner = agent, createdBy = agent } of tasks.values()) {
      if (owner !== agent || createdBy !== agent) return undefined;
    }
    return agent;
  }

  /** How to give a name, for one without it that has found nothing of its own. */
  missingName(graph: TaskGraph): string | undefined {
    return this.claimant(graph) === undefined ? because('no_agent').text : undefined;
  }

  /**
   * Asks a hook for approval: it gets the caller and the tasks as they would be after the change, as a line of JSON, and
   * accepts by exit code 0. A missing or non-executable file is ignored. A change that is recomputed after another one is
   * approved again only if it differs.
   */
  async approve(
    hook: 'task-created' | 'task-completed',
    tasks: readonly Task[],
  ): Promise<Reason | undefined> {
    const { agent, settings } = this;
    const { around = NOWHERE } = this.context;
    const folder = hooksFolder(this.context, settings);
    const path = `${folder}/${hook}`;
    const question = JSON.stringify([hook, tasks.map((task) => ({ ...task, ...UNKNOWN_TIMES }))]);
    if (!folder || !isProgram(path) || this.#approved.has(question)) return undefined;
    if (this.#asked++ === MOST_ASKED) return because('refused_by_hook', hook, ASKED_TOO_OFTEN);
    const input = `${JSON.stringify({ event: hook, agent, tasks })}\n`;
    const limits = { limitMs: HOOK_LIMIT_MS, keep: 'beginning', ...around } as const;
    const { signal } = this.#invocation;
    const { exitCode, words, said } = await runProgram([path], { ...limits, input, signal });
    if (exitCode === 0) {
      this.#approved.add(question);
      return undefined;
    }
    const why = exitCode === undefined ? words : said || words;
    return because('refused_by_hook', hook, safeText(why, MAX_REASON_CHARACTERS));
  }
}

const UNKNOWN_TIMES = { createdAt: '', updatedAt: '' };
