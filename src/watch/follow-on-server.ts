import type { SharedPlace } from '../state/place.ts';
import type { ServerLists } from '../state/server-lists.ts';
import { storedItemsProblem } from '../todo/open-todo-store.ts';
import type { Items } from '../todo/todo-item.ts';
import { type TodoVersion, versionsOf } from '../todo/todo-version.ts';
import {
  deletedList,
  type FollowedList,
  type Follower,
  type FollowOptions,
  lastSeen,
} from './follow.ts';

/** The state of one followed list. */
interface Following {
  readonly list: FollowedList;
  readonly place: SharedPlace<Items>;
  /** The last version reported; undefined to start with the newest one. */
  seen: number | undefined;
}

/** How much of an unlimited history is read at the start. */
const MOST_VERSIONS = 1000;
/** How long to wait before asking an unreachable server again. */
const RETRY_MS = 2000;

/** Opens a todo list for reading only. */
export function readablePlace(server: ServerLists, key: string): SharedPlace<Items> {
  return server.place({ key }, { author: '', history: MOST_VERSIONS, check: storedItemsProblem });
}

/** Like `followInFiles`, for lists on a server. One watch covers all lists of a session; only new versions are read. */
export function followOnServer(
  server: ServerLists,
  session: string,
  follower: Follower,
  { start, isMeant = () => true }: FollowOptions,
): () => void {
  const followed = new Map<string, Following>();
  let next = start;
  let hasEnded = false;
  let isDue = false;
  let isReached = false;
  let isLooking = false;
  let retry: NodeJS.Timeout | undefined;

  const lookOnce = async () => {
    const found = await server.find({ key: session });
    const failures: unknown[] = [];
    for (const { key, path, version } of found) {
      const agent = path.at(-1) ?? '';
      if (!isMeant(agent)) continue;
      const following = followed.get(key) ?? {
        list: { agent, key },
        place: readablePlace(server, key),
        seen: next === 'all' ? 0 : undefined,
      };
      followed.set(key, following);
      if (version === following.seen) continue;
      // A damaged list must not hide the others.
      const news = await versionsAfter(following, version).catch((error: unknown) => {
        failures.push(error);
        return [];
      });
      for (const each of news) {
        if (hasEnded) return;
        following.seen = each.version;
        follower.changed(following.list, each);
      }
    }
    next = 'all';
    const isThere = new Set(found.map(({ key }) => key));
    for (const { list } of [...followed.values()].filter((each) => !isThere.has(each.list.key))) {
      followed.delete(list.key);
      follower.changed(list, deletedList());
    }
    if (failures.length > 0) throw failures[0];
  };
  const lookUntilDone = async () => {
    try {
      while (isDue && !hasEnded) {
        isDue = false;
        await lookOnce();
      }
      if (!isReached && !hasEnded) follower.reached?.();
      isReached = true;
    } catch (error) {
      if (hasEnded) return;
      isReached = false;
      follower.failed(error);
      retry = setTimeout(look, RETRY_MS);
    }
  };
  const look = () => {
    isDue = true;
    clearTimeout(retry);
    if (isLooking) return;
    isLooking = true;
    void lookUntilDone().finally(() => {
      isLooking = false;
      if (isDue && isReached) look();
    });
  };
  const end = server.watch({ key: session }, look);
  look();
  return () => {
    hasEnded = true;
    clearTimeout(retry);
    end();
  };
}

async function versionsAfter({ place, seen }: Following, newest: number): Promise<TodoVersion[]> {
  const last = lastSeen(seen, newest);
  const range = last === 0 ? { newest: MOST_VERSIONS } : { from: last + 1 };
  return versionsOf([...(await place.history(range))].reverse());
}
