import { connect, createServer, type Server, type Socket } from 'node:net';

/** Stands between a client and a server on loopback, and can lose an answer after the request was carried out. */
export class DroppingProxy {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** The next request that holds this text gets no answer: its connection breaks once the server has answered. */
  #marker: string | undefined;
  #onDrop: () => Promise<void> = async () => {};
  #isOpen: Promise<void> = Promise.resolve();

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
  }

  static start(target: { host: string; port: number }): Promise<DroppingProxy> {
    return new Promise((resolve) => {
      const server = createServer();
      server.listen(0, '127.0.0.1', () => {
        const proxy = new DroppingProxy(server, (server.address() as { port: number }).port);
        server.on('connection', (client) => void proxy.#serve(client, target));
        resolve(proxy);
      });
    });
  }

  /** @param onDrop runs when the answer is lost, before any further connection is served. */
  dropAnswerTo(marker: string, onDrop: () => Promise<void> = async () => {}): void {
    this.#marker = marker;
    this.#onDrop = onDrop;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  async #serve(client: Socket, target: { host: string; port: number }): Promise<void> {
    client.on('error', () => {}).pause();
    await this.#isOpen;
    const server = connect(target);
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#sockets.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
    let isLost = false;
    client.on('data', (chunk) => {
      if (this.#marker !== undefined && chunk.includes(this.#marker)) {
        isLost = true;
        this.#marker = undefined;
      }
      server.write(chunk);
    });
    client.resume();
    server.on('data', (chunk) => {
      if (!isLost) {
        client.write(chunk);
      } else if (!client.destroyed) {
        // A test that is over by then has closed what this works with.
        this.#isOpen = this.#onDrop().catch(() => {});
        client.destroy();
      }
    });
  }
}
