import { proofMark } from '../proof/proof.ts';
import { safeText } from '../safe-text.ts';
import { codeOf } from '../system/files.ts';
import { openBlockers } from '../tasks/task.ts';
import type { TodoItem } from '../todo/todo-item.ts';
import { changeOf } from './changes.ts';
import { endingSignals } from './ending-signals.ts';
import type { Known, KnownList, KnownTasks } from './model.ts';
import { timesOf } from './render-items.ts';
import { Sources, watchedLists, webTokenFile } from './sources.ts';
import type { WatchArguments } from './watch-arguments.ts';
import { sessionKeyOf, type WatchedLists } from './watched-lists.ts';
import { type Follow, serveWeb } from './web-server.ts';
import { tokenIn } from './web-token.ts';

/** Changes that come faster than this share a message. */
const FRAME_MS = 100;
/** How often to look for sessions. */
const FIND_MS = 5000;
/** The same, while no session is named and none exists. */
const WAIT_MS = 1000;
const MOST_SESSIONS = 100;
const MOST_VERSIONS = 50;

/** Serves the lists to browsers on this machine until a signal. Returns the exit code. */
export async function watchWeb({ list, taskList, port }: WatchArguments): Promise<number> {
  const watched = watchedLists();
  // Fail now if the settings are wrong, rather than on each page.
  await watched.where();
  const follow: Follow = (id, show) => followForPage(watched, { id, list, taskList }, show);
  const server = await serveWeb(port ?? 0, tokenIn(webTokenFile()), follow).catch((error) => {
    const isTaken = codeOf(error) === 'EADDRINUSE';
    throw isTaken ? new Error(`port ${port} is taken; without --port, a free one is used`) : error;
  });
  process.stdout.write(`${server.url}\nOpen it in a browser on this machine; Ctrl-C ends it.\n`);
  const signals = endingSignals();
  const exitCode = await signals.exitCode;
  signals.ignore();
  server.close();
  await watched.close();
  return exitCode;
}

/** Sends a session's state to one page, now and after each change. Returns a function that stops this. */
function followForPage(
  watched: WatchedLists,
  { id, list, taskList }: Pick<WatchArguments, 'list' | 'taskList'> & { id: string | undefined },
  show: (json: string) => void,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isDue = false;
  let hasEnded = false;
  let shown: string | undefined;
  const wake = () => {
    if (hasEnded) return;
    if (timer) isDue = true;
    else timer = setTimeout(send, 0);
  };
  const sources = new Sources(watched, wake);
  const send = () => {
    isDue = false;
    const json = JSON.stringify(stateOf(sources.known));
    if (json !== shown) show(json);
    shown = json;
    timer = setTimeout(() => {
      timer = undefined;
      if (isDue) send();
    }, FRAME_MS);
  };
  let isFollowing = false;
  let finding: NodeJS.Timeout | undefined;
  const find = async () => {
    await sources.find(MOST_SESSIONS);
    if (hasEnded) return;
    if (!isFollowing) follow();
    finding = setTimeout(() => void find(), isFollowing ? FIND_MS : WAIT_MS);
  };
  const follow = () => {
    const { found } = sources.known;
    const { session } = sources.name(list);
    // A page can only ask for sessions that were found.
    const asked = found.find(({ key }) => sessionKeyOf(key) === id);
    const other = asked ?? (session === undefined ? found[0] : undefined);
    if (other) sources.follow({ session: other.session, key: sessionKeyOf(other.key) });
    else if (finding === undefined) sources.followOwn(session, taskList);
    // If no session is named, show the first one that appears.
    isFollowing = other !== undefined || session !== undefined;
    wake();
  };
  void find();
  return () => {
    hasEnded = true;
    clearTimeout(timer);
    clearTimeout(finding);
    sources.end();
  };
}

/** Everything a page shows, without characters that could reverse its text. */
function stateOf(known: Known) {
  const sessions = new Map(known.found.map(({ key, session }) => [sessionKeyOf(key), session]));
  return {
    id: known.key,
    session: safeText(known.session ?? ''),
    sessions: [...sessions].map(([id, name]) => ({ id, name: safeText(name) })),
    lists: known.lists.map(listState),
    tasks: tasksState(known.tasks),
    problem: known.problem && safeText(known.problem),
  };
}

function listState({ agent, versions }: KnownList) {
  const [{ items, updatedAt }] = versions;
  const { since, isLonger } = timesOf(versions);
  return {
    agent: safeText(agent),
    updatedAt: +updatedAt,
    items: items.map((item) => ({
      content: safeText(item.content),
      activeForm: safeText(item.activeForm),
      status: item.status,
      priority: item.priority,
      proof: proofMark(item),
      ...timeOf(item, since.get(item), isLonger.has(item)),
    })),
    history: versions.slice(0, MOST_VERSIONS).map((version, index) => ({
      version: version.version,
      at: +version.updatedAt,
      by: safeText(version.by),
      change: changeOf(version, versions[index + 1]),
    })),
  };
}

/** As the viewer has it: no age of pending items, which matters to a team, not in a plan. */
function timeOf(
  { status }: Pick<TodoItem, 'status'>,
  since: number | undefined,
  isLonger: boolean,
) {
  if (status === 'pending' || (status === 'completed' && isLonger)) return {};
  return { since, isLonger };
}

function tasksState({ tasks, since }: KnownTasks) {
  const shown = [...tasks.values()].filter(({ isArchived }) => !isArchived);
  return shown.map((task) => ({
    id: task.id,
    subject: safeText(task.subject),
    activeForm: task.activeForm && safeText(task.activeForm),
    owner: task.owner && safeText(task.owner),
    status: task.status,
    proof: proofMark(task),
    since: since.get(task.id),
    ...(task.status === 'completed'
      ? { blockedBy: [], blocks: [] }
      : {
          blockedBy: openBlockers({ nextId: 0, tasks }, task),
          blocks: task.blocks.filter((other) => tasks.get(other)?.status !== 'completed'),
        }),
  }));
}
