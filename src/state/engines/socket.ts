import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { StateError } from '../state-error.ts';
import { Failed, NO_ANSWER, UNTRUSTED } from './servers.ts';
import { splitAddress } from './state-url.ts';
import { TooMuch } from './stored-content.ts';

/** `isOptional`: continue without TLS if the server has none. */
export interface Tls extends ConnectionOptions {
  readonly isOptional?: boolean;
}

/**
 * Connects to a server.
 *
 * @param limitMs until it is connected and `secure` is done.
 * @param secure agrees on TLS.
 * @param isWork whether it keeps the process alive.
 * @throws Failed: nothing was sent.
 */
export async function connectTo(
  address: string,
  limitMs: number,
  secure: (socket: Socket, host: string) => Promise<Socket>,
  isWork = true,
): Promise<Socket> {
  const { host, port } = splitAddress(address);
  const { connect } = process.getBuiltinModule('node:net');
  const socket = connect({ host, port, noDelay: true });
  const timer = setTimeout(() => socket.destroy(new Failed(NO_ANSWER, 'undone')), limitMs);
  if (!isWork) {
    socket.unref();
    timer.unref();
  }
  try {
    await once(socket, 'connect');
    return await secure(socket, host);
  } catch (error) {
    socket.destroy();
    throw beforeReady(error as Error);
  } finally {
    clearTimeout(timer);
  }
}

/** Speaks TLS over a connection. */
export async function overTls(socket: Socket, host: string, tls: Tls): Promise<Socket> {
  const { isIP } = process.getBuiltinModule('node:net');
  const { connect } = process.getBuiltinModule('node:tls');
  const servername = isIP(host) === 0 ? { servername: host } : {};
  const secure = connect({ ...tls, ...servername, host, socket });
  await once(secure, 'secureConnect');
  return secure;
}

/** An error of a server that no request was sent to. */
export function beforeReady(error: NodeJS.ErrnoException): Failed | StateError {
  if (error instanceof Failed || error instanceof StateError) return error;
  const isFinal = error instanceof TooMuch || UNTRUSTED.test(error.code ?? '');
  return new Failed(error.message || (error.code ?? ''), isFinal ? 'refused' : 'undone');
}
