import { noteLines } from '../command/notes.ts';
import type { Environment } from '../environment.ts';
import { listInContext } from '../guidance/list-in-context.ts';
import { Replay } from '../guidance/replay.ts';
import { LINE_RULES } from '../guidance/rules.ts';
import { MAX_LINE_LENGTH } from '../guidance/work-history.ts';
import { type GuidanceSettings, readSettings } from '../settings/settings.ts';
import { hookFolder } from '../state/list-paths.ts';
import { inTimeOf } from '../state/time-limit.ts';
import { signOfLife } from '../tasks/news.ts';
import { taskContext } from '../tasks/task-context.ts';
import { TodoLists } from '../todo/todo-lists.ts';
import type { TodoVersion } from '../todo/todo-version.ts';
import { isUntilDone } from '../todo/until-done.ts';
import { hearUser } from '../todo/user-changes.ts';
import type { HookEvent, Reply, Stop } from './event.ts';
import { whyNotStop } from './finish-gate.ts';
import { type Entry, Journal } from './journal.ts';

/** The context of an event. */
export interface World {
  /** With the id of the harness's session, as commands see it. */
  readonly environment: Environment;
  readonly directory: string;
  /** Whether the finish gate guards every list, not only those written with `--until-done`. */
  readonly isGated: boolean;
  /** Whether the harness never tells that a conversation was cut. */
  readonly forgetsSilently: boolean;
  readonly now: () => Date;
}

/** What there is to say when something happens to an agent. If there is no list, that is nothing. */
export async function answer(event: HookEvent, world: World): Promise<Reply> {
  if (event.what.kind === 'other') return {};
  const { settings } = readSettings(world.environment, undefined);
  const lists = new TodoLists(world.environment, world.directory, settings);
  return inTimeOf(settings, async () => {
    const reply = await answerOfList(event, world, lists);
    const news = isHeard(event) ? await newsOfTeam(world, lists) : '';
    const warnings = event.what.kind === 'start' ? lists.warnings.join('\n') : '';
    if (news === '' && warnings === '') return reply;
    return { ...reply, context: texts(warnings, reply.context, news) };
  });
}

/** An agent that stops, or whose conversation is cut, does not hear what is said. */
function isHeard({ what }: HookEvent): boolean {
  return what.kind !== 'stop' && what.kind !== 'cut';
}

/** What others did to tasks of the team that concern the agent. Each event is a sign of its life. */
async function newsOfTeam(world: World, lists: TodoLists): Promise<string> {
  const { context, settings } = teamOf(world, lists);
  return noteLines(await signOfLife(context, settings)).trimEnd();
}

function teamOf({ environment, directory }: World, lists: TodoLists) {
  const context = taskContext({ environment, directory: () => directory, lists: () => lists });
  return { context, settings: readSettings(environment, directory).settings };
}

/** Whether somebody works on a task that a command is to prove. */
async function hasCheckedTask(world: World, lists: TodoLists): Promise<boolean> {
  const { context, settings } = teamOf(world, lists);
  try {
    const { graph } = await context.open(undefined, settings).read();
    return [...graph.tasks.values()].some(
      ({ status, check }) => status === 'in_progress' && check !== undefined,
    );
  } catch {
    // The command that needs the list will say what is wrong with it.
    return false;
  }
}

async function answerOfList(event: HookEvent, world: World, lists: TodoLists): Promise<Reply> {
  const list = lists.open({});
  const ofUser = isHeard(event) ? noteLines(await hearUser(list)).trimEnd() : '';
  const newest = await list.read();
  const isPlanned = newest.version > 0;
  if (!isPlanned && (event.what.kind !== 'command' || !(await hasCheckedTask(world, lists))))
    return {};
  const by = newest.by === list.author ? undefined : newest.by;
  const name = lists.name({});
  const folder = lists.checked(hookFolder(lists.folder, name));
  const memory = new Memory(new Journal(folder), event.session, newest, world.now);
  switch (event.what.kind) {
    case 'start':
      memory.add({ said: 'shown' });
      return { context: texts(ofUser, listInContext(newest.items, by)) };
    case 'prompt':
      if (!world.forgetsSilently || !memory.isNews) return { context: ofUser };
      memory.add({ said: 'shown' });
      return { context: texts(ofUser, listInContext(newest.items, by)) };
    case 'cut':
      memory.add({ cut: true });
      return {};
    case 'command': {
      const { line, exitCode } = event.what;
      const entries = memory.add({
        line: line.slice(0, MAX_LINE_LENGTH + 1),
        ...(exitCode !== undefined && { exit: exitCode }),
      });
      if (!isPlanned) return {};
      const { settings } = readSettings(world.environment, world.directory);
      const due = await guidanceOn(seenBy(event.session, entries), settings);
      return { context: texts(ofUser, due) };
    }
    case 'other':
      return {};
    case 'stop': {
      if (!world.isGated && !isUntilDone(folder, list.shown)) return {};
      const isOfSession = name.agent.endsWith(`@${event.session}`);
      return memory.stop(event.what, { isOfSession, by }, await list.history());
    }
  }
}

function texts(...some: readonly (string | undefined)[]): string {
  return some.filter(Boolean).join('\n');
}

/** A hook speaks into a conversation, so it says each thing once per state of the list. */
const RULES = LINE_RULES.map((rule) => ({ ...rule, times: 1 }));
/** A line of which we only know that it ran; it cannot be parsed. */
const SOME_LINE = { line: '(', exitCode: undefined };

/** What is due after the last entry. */
async function guidanceOn(entries: readonly Entry[], settings: GuidanceSettings): Promise<string> {
  const replay = new Replay({ rules: RULES, settings: () => settings });
  let said: readonly string[] = [];
  for (const [index, { line, exit, lines = 0, list: written }] of entries.entries()) {
    for (let some = 0; some < lines; some++) replay.past(SOME_LINE);
    const list = written && { ...written, updatedAt: new Date(0), by: '' };
    if (line === undefined) {
      if (list) replay.found(list);
      continue;
    }
    const past = { line, exitCode: exit, list };
    if (index < entries.length - 1) replay.past(past);
    else said = await replay.latest(past);
  }
  return said.join('\n');
}

/** Of other sessions on the same list only what they made of it counts. */
function seenBy(own: string, entries: readonly Entry[]): Entry[] {
  return entries.flatMap((entry) => {
    const { id, session, version, list } = entry;
    if (session === own) return [entry];
    return list ? [{ id, session, version, list }] : [];
  });
}

/** What the hook remembers of a list, as one session sees it. */
class Memory {
  readonly #journal: Journal;
  readonly #session: string;
  readonly #newest: TodoVersion;
  readonly #before: readonly Entry[];
  readonly #now: () => Date;

  constructor(journal: Journal, session: string, newest: TodoVersion, now: () => Date) {
    this.#now = now;
    this.#journal = journal;
    this.#session = session;
    this.#newest = newest;
    this.#before = journal.read();
  }

  add(what: Partial<Entry>): readonly Entry[] {
    const { version, items } = this.#newest;
    const last = this.#before.findLast(({ list }) => list !== undefined)?.list;
    const isOther = version > 0 && last?.version !== version;
    return this.#journal.add({
      session: this.#session,
      version,
      at: this.#now().toISOString(),
      ...(isOther && { list: { version, items } }),
      ...what,
    });
  }

  /** Whether this version of the list has not been shown, or the conversation was cut since. */
  get isNews(): boolean {
    const own = this.#before.filter(({ session }) => session === this.#session);
    const shown = own.findLastIndex(
      ({ said, version }) => said === 'shown' && version === this.#newest.version,
    );
    return shown < 0 || own.slice(shown).some(({ cut }) => cut);
  }

  stop(
    stop: Stop,
    { isOfSession, by }: { isOfSession: boolean; by: string | undefined },
    history: readonly TodoVersion[],
  ): Reply {
    const own = this.#before.filter(({ session }) => session === this.#session);
    const refusals = own.filter(({ said }) => said === 'gate');
    const since = lastFinish(history);
    const refusal = whyNotStop(stop, {
      items: this.#newest.items,
      by,
      isOwn: isOfSession || own.some(({ list, line }) => list && line?.includes('TodoWrite')),
      isRefused: refusals.some(({ version }) => version === this.#newest.version),
      refusals: refusals.filter(({ version }) => version > since).length,
    });
    if (refusal === undefined) return {};
    const entries = this.add({ said: 'gate' });
    // If two ask at once, only one is answered.
    const isFirst =
      entries.filter(
        ({ said, version, session }) =>
          said === 'gate' && version === this.#newest.version && session === this.#session,
      ).length === 1;
    return isFirst ? { refusal } : {};
  }
}

/** The newest version at which nothing was left to do; 0 if none is kept. */
function lastFinish(history: readonly TodoVersion[]): number {
  const isFinished = ({ items }: TodoVersion) =>
    items.every(({ status }) => status === 'completed');
  return history.find(isFinished)?.version ?? 0;
}
