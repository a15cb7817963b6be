import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TestAgent } from '../helpers/agents.ts';
import { eventually } from '../helpers/eventually.ts';
import { listFiles } from '../helpers/files.ts';
import { startHost } from '../helpers/host-program.ts';
import { hasProc } from '../helpers/processes.ts';
import { Random, testSeed } from '../helpers/random.ts';
import { startSession, type TestSession } from '../helpers/session.ts';

/** Starts a session with `Agent`, and reads where its host listens and what it asks for. */
async function startAgentSession(
  agent = new TestAgent(({ argv }) => ({ stdout: `reply to ${argv}\n` })),
) {
  const session = startSession({ handlers: [agent] });
  await session.run(':');
  return { session, agent, ...readHostFile(session) };
}

function readHostFile({ tmp }: TestSession) {
  const [directory = ''] = readdirSync(tmp);
  const [port, key = ''] = readFileSync(join(tmp, directory, 'host'), 'utf8')
    .trim()
    .split(' ');
  return { directory: join(tmp, directory), port: Number(port), key };
}

/** Waits for the end of a connection, however it comes. */
const closed = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));

/** Sends `message`, and gives all that comes back until the host ends the connection. */
async function send(port: number, message: string | Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let reply = '';
  socket.on('data', (chunk) => {
    reply += chunk;
  });
  socket.on('error', () => {});
  socket.write(message);
  await closed(socket);
  return reply;
}

/** Fields as a caller sends them: each ends with a NUL. */
const request = (...fields: string[]) => fields.map((field) => `${field}\0`).join('');
const REQUEST = request('Agent', '1', 'x');

describe('who does not present the secret', () => {
  test.each([
    [
      'a wrong secret',
      (key: string) => `${key.replace(/^./, (first) => (first === '0' ? '1' : '0'))}\0${REQUEST}`,
    ],
    ['a secret that is wrong at its end', (key: string) => `${key.slice(0, -1)}x\0${REQUEST}`],
    ['the secret in capitals', (key: string) => `${key.toUpperCase()}!\0${REQUEST}`],
    ['more after the secret', (key: string) => `${key}0\0${REQUEST}`],
    ['something before the secret', (key: string) => `0${key}\0${REQUEST}`],
    ['no secret, but its length', () => `${'\0'.repeat(80)}${REQUEST}`],
    ['HTTP', () => `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: ${'x'.repeat(100)}\r\n\r\n`],
    ['garbage of 10 MB', () => Buffer.alloc(10_000_000, 0xff)],
  ])('gets nothing but the end of the connection: %s', async (_name, message) => {
    const { agent, port, key } = await startAgentSession();
    expect(await send(port, message(key))).toBe('');
    expect(agent.calls).toEqual([]);
  });

  test('gets nothing for random bytes either, and the host goes on', async () => {
    const seed = testSeed();
    const random = new Random(seed);
    const { session, agent, port } = await startAgentSession();
    const replies = await Promise.all(
      Array.from({ length: 100 }, () =>
        send(port, Buffer.from(random.list(65, 500, () => random.below(256)))),
      ),
    );
    expect(new Set(replies), `seed ${seed}`).toEqual(new Set(['']));
    expect(agent.calls).toEqual([]);
    expect((await session.run('Agent x')).stdout).toBe('reply to x\n');
  });

  test('cannot find it out by one character after the other: the end comes only after as many bytes as it has', async () => {
    const { port, key } = await startAgentSession();
    const socket = connect(port, '127.0.0.1');
    let ended = false;
    socket.on('close', () => {
      ended = true;
    });
    for (const character of 'x'.repeat(key.length)) socket.write(character);
    await send(port, 'y'.repeat(key.length + 1));
    expect(ended).toBe(false);
    socket.write('x');
    await closed(socket);
  });
});

describe('half a request', () => {
  test('is not carried out, and its connection ends in the end', async () => {
    const { session, agent, port, key } = await startAgentSession();
    const whole = `${key}\0${REQUEST}`;
    const ends = [...whole.slice(0, -1)].map((_, length) => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      socket.end(whole.slice(0, length));
      return closed(socket);
    });
    await Promise.all(ends);
    expect(agent.calls).toEqual([]);
    expect((await session.run('Agent x')).stdout).toBe('reply to x\n');
  });

  test('that stays open is ended after some seconds', async () => {
    const { agent, port, key } = await startAgentSession();
    const start = performance.now();
    expect(await send(port, request(key, 'Agent', '2', 'x'))).toBe('');
    expect(performance.now() - start).toBeLessThan(8_000);
    expect(agent.calls).toEqual([]);
  });
});

// One argument may not be much longer.
const HUNDRED_KB = "text=$(head -c 100000 /dev/zero | tr '\\0' x)";

describe('the rightful caller', () => {
  test('may send its request in pieces of any size', async () => {
    const { agent, port, key } = await startAgentSession();
    const bytes = Buffer.from(request(key, 'Agent', '3', 'ü', '', '漢'));
    const socket = connect(port, '127.0.0.1').setNoDelay(true);
    const reply = once(socket, 'data');
    for (const byte of bytes) {
      await new Promise((resolve) => socket.write(Buffer.from([byte]), resolve));
    }
    const text = 'reply to ü,,漢\n';
    expect(String((await reply)[0])).toBe(`text 0 ${Buffer.byteLength(text)} 0\n${text}`);
    expect(agent.calls.map(({ argv }) => argv)).toEqual([['ü', '', '漢']]);
    socket.destroy();
  });

  test('is told at once that each part of a long text is here, or its system would hold the next one back', async () => {
    const { agent, port, key } = await startAgentSession();
    const socket = connect(port, '127.0.0.1').setNoDelay(true);
    const send = async (text: string) => {
      const reply = once(socket, 'data');
      socket.write(text);
      return String((await reply)[0]);
    };
    expect(await send(`${request(key, 'Agent', '2')}${'x'.repeat(5000)}`)).toBe('\n');
    const [, , mark] = (await send('\0-\0')).trim().split(' ');
    expect(await send('some')).toBe('\n');
    expect(await send(` text${mark}`)).toMatch(/^text 0 /);
    expect(agent.calls.map(({ stdin }) => stdin)).toEqual(['some text']);
    socket.destroy();
  });

  test('of no command of the host is told so', async () => {
    const { port, key, agent } = await startAgentSession();
    const socket = connect(port, '127.0.0.1');
    socket.write(request(key, 'rm', '1', 'x'));
    const [reply] = await once(socket, 'data');
    expect(String(reply)).toMatch(/^text 127 0 \d+\nrm: not an agent command\n$/);
    expect(agent.calls).toEqual([]);
    socket.destroy();
  });

  test.each(['', '-1', '1e3', 'x', '999999999999'])(
    'with a count that is none is not answered: %j',
    async (count) => {
      const { port, key, agent } = await startAgentSession();
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      socket.end(request(key, 'Agent', count, 'x'));
      await closed(socket);
      expect(agent.calls.filter(({ argv }) => argv.length !== 0)).toEqual([]);
    },
  );

  test.each([
    ['a little', 11],
    ['a lot', 15],
  ])(
    'with arguments of over 1 MiB is refused with a clear error: %s over',
    async (_name, count) => {
      const { session, agent } = await startAgentSession();
      await session.run(HUNDRED_KB);
      expect(await session.run(`Agent ${'"$text" '.repeat(count)}`)).toEqual({
        stdout: '',
        stderr: 'Error: The arguments are larger than 1 MiB\n',
        exitCode: 1,
      });
      expect(agent.calls).toEqual([]);
      expect((await session.run('Agent x')).stdout).toBe('reply to x\n');
    },
  );

  test('with arguments of a little less than 1 MiB is served', async () => {
    const { session, agent } = await startAgentSession(new TestAgent());
    await session.run(HUNDRED_KB);
    await session.run(`Agent ${'"$text" '.repeat(10)}`);
    expect(agent.calls[0]?.argv).toEqual(Array(10).fill('x'.repeat(100_000)));
  });
});

describe('10,000 connections that send nothing', () => {
  test('keep no rightful caller from its reply', async () => {
    const { session, agent, port } = await startAgentSession();
    const calling = session.run('for i in {1..60}; do Agent $i || echo "refused $i"; done');
    const sockets = new Set<Socket>();
    for (let opened = 0; opened < 10_000; opened += 500) {
      const batch = Array.from({ length: 500 }, () => {
        const socket = connect(port, '127.0.0.1');
        sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => sockets.delete(socket));
        return new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
      });
      await Promise.all(batch);
    }
    const { stdout, stderr } = await calling;
    expect(stderr).toBe('');
    expect(stdout).toBe(
      Array.from({ length: 60 }, (_, index) => `reply to ${index + 1}\n`).join(''),
    );
    // While as many as the host bears are still open.
    const start = performance.now();
    expect((await session.run('Agent x')).stdout).toBe('reply to x\n');
    expect(performance.now() - start).toBeLessThan(1_000);
    expect(agent.calls.length).toBe(61);
    for (const socket of sockets) socket.destroy();
  });

  test('are all let go, and leave no memory behind', async () => {
    const host = await startHost(
      `
      import { BashSession } from './src/bash/bash-session.ts';
      import { connect } from 'node:net';
      import { readdirSync, readFileSync } from 'node:fs';
      const handler = { name: 'Agent', execute: async () => ({ stdout: '', stderr: '', exitCode: 0 }) };
      const session = new BashSession({ env: process.env, cwd: '/', handlers: new Map([['Agent', handler]]) });
      await session.run('Agent');
      const [name] = readdirSync(process.env.TMPDIR);
      const [port] = readFileSync(process.env.TMPDIR + '/' + name + '/host', 'utf8').split(' ');
      const flood = async (count) => {
        for (let opened = 0; opened < count; opened += 250) {
          const batch = Array.from({ length: 250 }, () => connect(Number(port), '127.0.0.1').on('error', () => {}));
          await Promise.all(batch.map((socket) => new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))));
          for (const socket of batch) socket.destroy();
        }
        await new Promise((resolve) => setTimeout(resolve, 100));
        await session.run('Agent');
      };
      const used = () => {
        globalThis.gc();
        return process.memoryUsage().heapUsed;
      };
      await flood(1000);
      const before = used();
      await flood(10000);
      console.log(Math.round((used() - before) / 1024));
      await session.dispose();
    `,
      ['--expose-gc'],
    );
    await host.ended;
    expect(host.errors()).toBe('');
    expect(Number(host.output())).toBeLessThan(2_000);
  });
});

describe('the secret', () => {
  test('is in a file that only this user can read, in directories that only this user can enter', async () => {
    const { session, directory } = await startAgentSession();
    const mode = (file: string) => (statSync(file).mode & 0o777).toString(8);
    expect(mode(directory)).toBe('700');
    expect(mode(join(directory, 'host'))).toBe('600');
    expect(mode(join(directory, 'bin'))).toBe('700');
    expect(mode(join(directory, 'bin/Agent'))).toBe('700');
    for (const file of listFiles(session.tmp)) {
      expect(statSync(join(session.tmp, file)).mode & 0o077, file).toBe(0);
    }
  });

  test('is long, and another one for each session', async () => {
    const first = await startAgentSession();
    const second = await startAgentSession();
    expect(first.key).toMatch(/^[0-9a-f]{64}$/);
    expect(second.key).toMatch(/^[0-9a-f]{64}$/);
    expect(first.key).not.toBe(second.key);
  });

  test('is in no variable, function, argument or environment, and in no other file', async () => {
    const { session, key, directory } = await startAgentSession();
    const { stdout } = await session.run(
      'env; set; export -p; declare -p; trap -p; alias; jobs -l',
    );
    expect(stdout).not.toContain(key);
    for (const file of listFiles(directory).filter((name) => name.startsWith('bin/'))) {
      expect(readFileSync(join(directory, file), 'utf8'), file).not.toContain(key);
    }
  });

  test.runIf(hasProc)(
    'is in no argument and no environment of any process while a call waits',
    async () => {
      const { session, agent, key } = await startAgentSession();
      const calling = session.run('Agent wait');
      await eventually('the call waits', () => agent.calls.length === 1);
      for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
        for (const file of ['cmdline', 'environ']) {
          let text = '';
          try {
            text = readFileSync(`/proc/${pid}/${file}`, 'utf8');
          } catch {
            continue; // gone, or another user's
          }
          expect(text.includes(key), `${file} of ${pid}`).toBe(false);
        }
      }
      agent.release();
      await calling;
    },
  );

  test.each([
    'set -x; Agent x',
    'set -v; Agent x',
    'bash -x "$(type -P Agent)" x',
    'bash -xv "$(type -P Agent)" x',
    'sh -x "$(type -P Agent)" x',
    'PS4=\'$key $(cat ${0%/*}/../host 2>/dev/null | cut -c1-0)+ \' bash -x "$(type -P Agent)" x',
    '(set -x; export SHELLOPTS; Agent x)',
    'BASH_XTRACEFD=1 bash -x "$(type -P Agent)" x',
    'Agent x >/dev/full',
    'Agent x >&-',
    'Agent x <&-',
    `${HUNDRED_KB}; Agent ${'"$text" '.repeat(11)}`,
    '(ulimit -n 4; Agent x)',
    'Agent nosuch; "${0%/*}"/nosuch; . "$(type -P Agent)" x',
    'source "$(type -P Agent)"',
    'bash "$(type -P Agent)" x',
  ])('is not in what is printed: %s', async (line) => {
    const { session, key } = await startAgentSession();
    const { stdout, stderr } = await session.run(line, { timeoutMs: 10_000 });
    expect(stdout).not.toContain(key);
    expect(stderr).not.toContain(key);
  });

  test('is compared in constant time', () => {
    const source = readFileSync(join(import.meta.dirname, '../../src/bash/agent-call.ts'), 'utf8');
    expect(source).toMatch(/if \(!timingSafeEqual\(/);
    expect(source.match(/#key\b(?!\.length)/g)?.length).toBe(3);
  });

  test('opens only a port of this machine', async () => {
    const { port } = await startAgentSession();
    const addresses = Object.values(networkInterfaces())
      .flat()
      .filter((address) => address && !address.internal && address.family === 'IPv4');
    for (const address of addresses) {
      const socket = connect(port, address?.address ?? '');
      const [error] = await once(socket, 'error');
      expect(error.code).toBe('ECONNREFUSED');
    }
  });
});
