import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A proxy to a server on loopback, until the end of the test. @param delayMs before each answer. */
export async function startProxy(target: number, { delayMs = 0 } = {}) {
  const sockets = new Set<Socket>();
  let [connections, posts] = [0, 0];
  let isSilent = false;
  let marker: string | undefined;
  let onDrop = async () => {};
  let isOpen = Promise.resolve();

  const serve = async (client: Socket) => {
    connections++;
    sockets.add(client);
    client.on('error', () => {}).pause();
    await isOpen;
    const server = connect(target, '127.0.0.1');
    sockets.add(server);
    server.on('error', () => {}).on('close', () => client.destroy());
    client.on('close', () => server.destroy());
    let isLost = false;
    client.on('data', (chunk) => {
      if (isSilent) return;
      posts += chunk.toString('latin1').split('POST /v3/kv/').length - 1;
      if (marker !== undefined && chunk.includes(marker)) {
        isLost = true;
        marker = undefined;
      }
      server.write(chunk);
    });
    server.on('data', (chunk) => {
      if (isSilent) return;
      if (!isLost) {
        if (delayMs > 0) setTimeout(() => client.write(chunk), delayMs);
        else client.write(chunk);
      } else if (!client.destroyed) {
        // The test may be over, and its resources closed.
        isOpen = onDrop().catch(() => {});
        client.destroy();
      }
    });
    client.resume();
  };
  const proxy = createServer((client) => void serve(client));
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  return {
    port: (proxy.address() as { port: number }).port,
    connections: () => connections,
    /** Requests to etcd, watches aside. */
    posts: () => posts,
    /** From now on everything is lost, and nobody is told. */
    fallSilent: () => {
      isSilent = true;
    },
    /**
     * Breaks the connection of the next request that contains this text once the server has answered.
     *
     * @param dropped runs then, before any further connection is served.
     */
    dropAnswerTo: (text: string, dropped = async () => {}) => {
      marker = text;
      onDrop = dropped;
    },
  };
}
