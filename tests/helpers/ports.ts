import { mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { orElse } from '../../src/base/system/files.ts';

const LOWEST = 10_000;
/** Above this the kernel chooses ports for connections: a server's port may be taken when it restarts. */
const RANGE = orElse(() => readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), '49152');
const END = Math.max(LOWEST + 5000, Math.min(32_768, Number.parseInt(RANGE, 10)));

/** Ports that are free now, and are given to no other test of this run. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = LOWEST + Math.floor(Math.random() * (END - LOWEST));
    if (!reserve(port)) continue;
    if (await canListen(port)) ports.push(port);
    else rmdirSync(folderOf(port));
  }
  return ports;
}

const folderOf = (port: number) => join(process.env.TEST_FOLDER ?? tmpdir(), 'ports', String(port));

function reserve(port: number): boolean {
  mkdirSync(join(folderOf(port), '..'), { recursive: true });
  // Another test may have it.
  return orElse(() => {
    mkdirSync(folderOf(port));
    return true;
  }, false);
}

function canListen(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
