// Servers for lists, each on its own ports on loopback, with their data in a folder that is removed at the end.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const LONGEST_START_MS = 30_000;

/** @returns undefined if etcd is not installed. */
export async function startEtcd(folder, size) {
  if (spawnSync('etcd', ['--version']).status !== 0) return undefined;
  const ports = await freePorts(2 * size);
  const client = (index) => `http://127.0.0.1:${ports[index]}`;
  const peer = (index) => `http://127.0.0.1:${ports[size + index]}`;
  const indices = Array.from({ length: size }, (_, index) => index);
  const members = indices.map((index) =>
    spawn(
      'etcd',
      [
        ...['--name', `m${index}`, '--data-dir', join(folder, `m${index}`), '--log-level', 'error'],
        ...['--listen-client-urls', client(index), '--advertise-client-urls', client(index)],
        ...['--listen-peer-urls', peer(index), '--initial-advertise-peer-urls', peer(index)],
        ...['--initial-cluster', indices.map((other) => `m${other}=${peer(other)}`).join(',')],
      ],
      { stdio: 'ignore' },
    ),
  );
  await answers(async () => {
    const body = JSON.stringify({ key: 'MA==' });
    return (await fetch(`${client(0)}/v3/kv/range`, { method: 'POST', body })).ok;
  });
  return {
    url: `etcd://${indices.map((index) => `127.0.0.1:${ports[index]}`).join(',')}/bench`,
    stop: () => Promise.all(members.map((member) => ended(member, 'SIGKILL'))),
  };
}

/**
 * With its default durability: each commit is on the disk.
 *
 * @param folder that it makes, for its own user where this is root: one that others can get to.
 * @returns undefined if it is not installed.
 */
export async function startPostgres(folder) {
  const root = '/usr/lib/postgresql';
  const [version] = existsSync(root) ? readdirSync(root) : [];
  const bin = version && join(root, version, 'bin');
  if (!bin || !existsSync(join(bin, 'initdb'))) return undefined;
  const [port] = await freePorts(1);
  mkdirSync(folder);
  const id = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  // PostgreSQL does not run as root.
  const asRoot = process.getuid() === 0;
  const owner = asRoot ? { uid: id('-u'), gid: id('-g') } : {};
  if (asRoot) chownSync(folder, owner.uid, owner.gid);
  const options = { ...owner, cwd: folder, stdio: 'ignore' };
  const data = join(folder, 'data');
  execFileSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'lists', '-A', 'trust', '-E', 'UTF8'],
    options,
  );
  const args = ['-D', data, '-p', String(port), '-k', folder, '-h', '127.0.0.1'];
  const server = spawn(join(bin, 'postgres'), args, options);
  await answers(
    () => spawnSync(join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)]).status === 0,
  );
  return {
    url: `postgres://lists@127.0.0.1:${port}/postgres`,
    stop: () => ended(server, 'SIGQUIT'),
  };
}

function ended(child, signal) {
  const end = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  return end;
}

async function answers(isReady) {
  const deadline = Date.now() + LONGEST_START_MS;
  const isUp = async () => isReady();
  while (!(await isUp().catch(() => false))) {
    if (Date.now() > deadline) throw new Error('the server does not start');
    await sleep(100);
  }
}

async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise((resolve) => {
          server.listen(0, '127.0.0.1', () => resolve(server.address().port));
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
