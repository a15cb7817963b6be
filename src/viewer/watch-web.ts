import { codeOf } from '../base/system/files.ts';
import { stateJson } from './page/page-state.ts';
import { Sources } from './sources.ts';
import type { WatchArguments } from './watch-arguments.ts';
import { WatchedLists } from './watched-lists.ts';
import { type Follow, serveWeb, tokenIn, webTokenFile } from './web-server.ts';

/** Changes that come faster than this share a message. */
const MESSAGE_MS = 100;
/** How often to look for sessions. */
const FIND_FOR_PAGE_MS = 5000;
/** While no session is named and none exists. */
const WAIT_MS = 1000;

/** Serves the lists to browsers on this machine until a signal. Returns the exit code. */
export async function watchWeb(
  { list, taskList, port }: WatchArguments,
  endingSignals: () => { readonly exitCode: Promise<number>; readonly ignore: () => void },
): Promise<number> {
  const watched = new WatchedLists();
  const signals = endingSignals();
  const follow: Follow = (address, show) =>
    followForPage(watched, { list, taskList }, address, show);
  try {
    // Fail now if the settings are wrong, rather than on each page.
    await watched.storage.name();
    const server = await serveWeb(port ?? 0, tokenIn(webTokenFile(process.env)), follow);
    process.stdout.write(`${server.url}\nOpen it in a browser on this machine; Ctrl-C ends it.\n`);
    const exitCode = await signals.exitCode;
    server.close();
    return exitCode;
  } catch (error) {
    if (codeOf(error) !== 'EADDRINUSE') throw error;
    throw new Error(`port ${port} is taken; without --port, a free one is used`);
  } finally {
    signals.ignore();
    await watched.close();
  }
}

/** Sends a session's state to one page, now and after each change. Returns a function that stops it. */
function followForPage(
  watched: WatchedLists,
  { list, taskList }: Pick<WatchArguments, 'list' | 'taskList'>,
  address: URLSearchParams,
  show: (json: string) => void,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let sentAt = 0;
  let hasEnded = false;
  let shown: string | undefined;
  const wake = () => {
    if (!hasEnded) timer ??= setTimeout(send, sentAt + MESSAGE_MS - performance.now());
  };
  const sources = new Sources(watched, wake);
  const open = new Set(address.getAll('open'));
  const send = () => {
    timer = undefined;
    sentAt = performance.now();
    const json = stateJson(sources.known, open);
    if (json !== shown) show(json);
    shown = json;
  };
  let isFollowing = false;
  let finding: NodeJS.Timeout | undefined;
  const find = async () => {
    await sources.find();
    if (hasEnded) return;
    if (!isFollowing) follow();
    finding = setTimeout(() => void find(), isFollowing ? FIND_FOR_PAGE_MS : WAIT_MS);
  };
  const follow = () => {
    const { found } = sources.known;
    const { session } = sources.name(list);
    // A page can only ask for sessions that were found.
    const asked = found.find(({ key }) => key === address.get('session'));
    const other = asked ?? (session === undefined ? found[0] : undefined);
    if (other) sources.follow(other.session, other.key);
    else if (finding === undefined) sources.followOwn(session, taskList);
    // If no session is named, show the first one that appears.
    isFollowing = other !== undefined || session !== undefined;
  };
  void find();
  return () => {
    hasEnded = true;
    clearTimeout(timer);
    clearTimeout(finding);
    sources.end();
  };
}
