// Watches a list on a server from any network, and prints each version.
import { ServerLists } from '../../../src/state/server-lists.ts';

const { TODO_STATE_URL: url = '' } = process.env;
const server = new ServerLists({ url, environment: process.env, timeoutMs: 5000 });
const place = server.place<unknown>('todos/release/main', { author: 'x', history: 50 });
const look = async () => {
  const newest = await Promise.resolve(place.load()).catch(() => undefined);
  if (newest) process.stdout.write(`${newest.version}\n`);
};
place.watch(() => void look());
setInterval(() => {}, 1000);
