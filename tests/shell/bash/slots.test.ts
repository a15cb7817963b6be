import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CALLER_VARIABLES } from '../../../src/base/environment.ts';
import { orElse } from '../../../src/base/system/files.ts';
import { Slots } from '../../../src/shell/bash/slots.ts';
import { sharedAgentSession, TestAgent } from '../../helpers/agents.ts';
import { ENV } from '../../helpers/bash.ts';
import { eventually } from '../../helpers/eventually.ts';
import { startProgram } from '../../helpers/executables.ts';
import { listFiles, temporaryDirectory } from '../../helpers/files.ts';
import { startLivingHost } from '../../helpers/host-program.ts';
import {
  hasProc,
  killProcessesWith,
  openButRemoved,
  processesWith,
} from '../../helpers/processes.ts';
import { Random, rounds, testSeed } from '../../helpers/random.ts';
import { BASH_ENDED, printed, startSession, type TestSession } from '../../helpers/session.ts';

const GONE = 'Agent: its agent shell has ended\n';
const replyTo = () => new TestAgent(({ argv }) => ({ stdout: `reply to ${argv}\n` }));

async function startAgentSession(agent = replyTo()) {
  const session = startSession({ handlers: [agent] });
  await session.run(':');
  return { session, agent, folder: folderOf(session) };
}

const shared = sharedAgentSession();

/** `Agent` is the command of the running test. */
async function sessionWith(agent: TestAgent) {
  const session = shared(agent);
  await session.run(':');
  return { session, folder: folderOf(session) };
}

function folderOf({ tmp }: Pick<TestSession, 'tmp'>): string {
  return join(tmp, readdirSync(tmp)[0] ?? '');
}

const slotsIn = (folder: string) => readdirSync(join(folder, 'slots'));
const takenIn = (folder: string) =>
  slotsIn(folder).filter((slot) => existsSync(join(folder, 'slots', slot, 'taken')));

/** A caller that can be killed at each step. */
class Caller {
  readonly #slot: string;
  #ends: number[] = [];

  constructor(
    folder: string,
    slot = slotsIn(folder).find((name) => !takenIn(folder).includes(name)),
  ) {
    this.#slot = join(folder, 'slots', slot ?? 'none is free');
    closeSync(openSync(join(this.#slot, 'taken'), 'wx'));
  }

  open(): this {
    this.#ends = [
      openSync(join(this.#slot, 'in'), constants.O_WRONLY | constants.O_NONBLOCK),
      openSync(join(this.#slot, 'out'), constants.O_RDONLY | constants.O_NONBLOCK),
    ];
    return this;
  }

  send(...fields: string[]): this {
    for (const field of fields) writeSync(this.#ends[0] ?? -1, field);
    return this;
  }

  /** Waits for bytes that end with `end`. */
  receive(end: RegExp): Promise<string> {
    let text = '';
    const buffer = Buffer.alloc(100_000);
    return eventually(`the reply ends with ${end}`, () => {
      // Nothing may be there yet.
      const count = orElse(() => readSync(this.#ends[1] ?? -1, buffer), 0);
      text += buffer.toString('latin1', 0, count);
      return end.test(text) && text;
    });
  }

  /** Closes its FIFOs, and makes its slot old enough to count as abandoned. */
  die(): void {
    for (const end of this.#ends) closeSync(end);
    const taken = join(this.#slot, 'taken');
    if (existsSync(taken)) utimesSync(taken, 0, 0);
  }
}

const request = (...argv: string[]) =>
  ['Agent', ...CALLER_VARIABLES.map(() => ''), '', '', '1', String(argv.length), ...argv]
    .map((field) => `${field}\0`)
    .join('');

describe('a caller that is killed', () => {
  const large = 'x'.repeat(1_000_000);

  // What it sends, and waits for, in turns.
  test.each<[string, ...(string | RegExp)[]]>([
    ['before it opens its slot'],
    ['before it says a word', ''],
    ['in its request', request('x').slice(0, -2)],
    ['before the handler is done', request('wait')],
    ['before it reads its reply', request('x')],
    ['before it says that it has read its reply', request('x'), /reply to x\n$/],
    ['when it is asked for standard input', request('-'), /\n$/],
    ['in its standard input', request('-'), /\n$/, 'half of'],
    ['before it asks for the output after the errors', request('large'), /\n$/],
    ['in a large reply', request('large'), /\n$/, '.', /x$/],
  ])('%s leaves no slot and no bytes to another', async (_name, ...steps) => {
    const agent = new TestAgent(({ argv }) => ({
      stdout: argv[0] === 'large' ? large : `reply to ${argv}\n`,
    }));
    const { session, folder } = await sessionWith(agent);
    // More callers than slots.
    for (let round = 0; round < 2; round += 1) {
      const callers = slotsIn(folder)
        .slice(takenIn(folder).length)
        .map(() => new Caller(folder));
      for (const caller of callers) {
        if (steps.length > 0) caller.open();
        for (const step of steps)
          await (typeof step === 'string' ? caller.send(step) : caller.receive(step));
      }
      for (const caller of callers) caller.die();
      const { stdout, ...rest } = await session.run('Agent 0 & Agent 1; wait; Agent last');
      expect(rest).toEqual({ stderr: '', exitCode: 0 });
      const sorted = stdout.replace('1\nreply to 0\n', '0\nreply to 1\n');
      expect(sorted).toBe('reply to 0\nreply to 1\nreply to last\n');
    }
    agent.release();
    expect(readdirSync(join(folder, 'slots')).length).toBeLessThan(64);
  });

  test('at any moment harms no other', async () => {
    const random = new Random(testSeed());
    const agent = new TestAgent(({ argv, stdin }) => ({
      stdout: `${argv[0]} ${stdin}`.repeat(30),
    }));
    const { session, folder } = await startAgentSession(agent);
    const script = join(folder, 'bin/Agent');
    const killing = Array.from({ length: 6 }, async () => {
      for (let round = 0; round < rounds(40); round += 1) {
        const child = spawn(script, [`killed${'y'.repeat(random.below(2) * 70_000)}`, '-'], {
          stdio: ['pipe', 'ignore', 'ignore'],
          env: ENV,
        });
        child.stdin.on('error', () => {});
        child.stdin.end('z'.repeat(random.below(10_000)));
        setTimeout(() => child.kill('SIGKILL'), random.below(12));
        await once(child, 'close');
      }
    });
    const line = `for i in {1..${rounds(250)}}; do [ "$(echo $i | Agent $i -)" = "$(for j in {1..30}; do echo -n "$i $i"$'\\n'; done)" ] || echo wrong $i; done`;
    const [result] = await Promise.all([session.run(line), ...killing]);
    expect(result).toEqual(printed());
  });

  test.runIf(hasProc)('leaves to its child what it was doing, and no reply to that', async () => {
    const { session, folder } = await startAgentSession();
    // head(1) reads a long reply, and survives the script.
    const caller = spawn(join(folder, 'bin/Agent'), ['-'], {
      env: ENV,
      stdio: ['pipe', 'pipe', 2],
    });
    caller.stdin?.write('x'.repeat(5_000));
    const child = await eventually('head runs', () => childrenOf(caller)[0]);
    caller.kill('SIGKILL');
    await once(caller, 'exit');
    expect((await session.run('for i in {1..5}; do Agent $i & done | sort; wait')).stdout).toBe(
      Array.from({ length: 5 }, (_, index) => `reply to ${index + 1}\n`).join(''),
    );
    caller.stdin?.end('late');
    await eventually('head has ended', () => !existsSync(`/proc/${child}`));
    expect((await session.run('Agent x')).stdout).toBe('reply to x\n');
  });
});

function childrenOf({ pid }: ChildProcess): string[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.trim().split(' ').filter(Boolean);
}

describe('more callers than slots', () => {
  test('that wait for each other all end', async () => {
    const agent = new TestAgent(({ argv, stdin }) => ({ stdout: `${stdin}${argv[0]} ` }));
    const { session } = await sessionWith(agent);
    // The last caller has its slot first, and waits for all others.
    const pipeline = Array.from({ length: 10 }, (_, index) => `Agent ${index} -`).join(' | ');
    const { stdout, stderr } = await session.run(pipeline);
    expect(stderr).toBe('');
    expect(stdout).toBe(Array.from({ length: 10 }, (_, index) => `${index} `).join(''));
  });

  test('each get their own reply, whether by argument or by standard input', async () => {
    const agent = new TestAgent(({ argv, stdin }) => ({
      stdout: `${argv[0]} ${argv[1]} ${stdin}`,
      stderr: `error of ${argv[0]}\n`,
      exitCode: Number(argv[0]),
    }));
    const { session } = await sessionWith(agent);
    const line = `text=$(head -c 30000 /dev/zero | tr '\\0' x)
      for i in {1..20}; do { printf %s "$i $text" | Agent $i "$text" - >out.$i 2>err.$i; echo $? >code.$i; } & done; wait
      for i in {1..20}; do
        [ "$(<out.$i)" = "$i $text $i $text" ] && [ "$(<err.$i)" = "error of $i" ] && [ "$(<code.$i)" = $i ] || echo "wrong: $i"
      done`;
    expect(await session.run(line)).toEqual(printed());
    expect(new Set(agent.calls.map(({ argv }) => argv[0])).size).toBe(20);
  });

  test('the first get a slot, even if others take many of the new ones', async () => {
    const folder = temporaryDirectory();
    const slots = new Slots(folder, ENV, () => new Promise(() => {}));
    onTestFinished(() => slots.close());
    for (const slot of slotsIn(folder)) new Caller(folder, slot);
    const taking = `set -C; taken=0; until [ "$taken" = 20 ]; do for slot in *; do : >"$slot/taken" && : $((taken += 1)); done; done`;
    const thief = spawn('bash', ['-c', `echo begun; exec 2>/dev/null; ${taking}`], {
      cwd: join(folder, 'slots'),
      env: ENV,
    });
    onTestFinished(() => void thief.kill('SIGKILL'));
    await once(thief.stdout, 'data');
    const door = openSync(join(folder, 'door'), constants.O_RDONLY | constants.O_NONBLOCK);
    const knock = openSync(join(folder, 'knock'), constants.O_WRONLY);
    writeSync(knock, '.'.repeat(40));
    let answered = 0;
    await eventually('all are asked in', () => {
      answered += orElse(() => readSync(door, Buffer.alloc(40)), 0);
      return answered === 40;
    });
    for (const end of [door, knock]) closeSync(end);
    expect(answered).toBe(40);
  });

  test('one that waits is given a slot that has become free, and no new ones are made for it', async () => {
    const folder = temporaryDirectory();
    const slots = new Slots(folder, ENV, () => new Promise(() => {}));
    onTestFinished(() => slots.close());
    const before = slotsIn(folder);
    for (const slot of before.slice(1)) new Caller(folder, slot);
    const door = openSync(join(folder, 'door'), constants.O_RDONLY | constants.O_NONBLOCK);
    writeFileSync(join(folder, 'knock'), '.');
    await eventually(
      'it is asked in',
      () => orElse(() => readSync(door, Buffer.alloc(1)), 0) === 1,
    );
    closeSync(door);
    expect(slotsIn(folder)).toEqual(before);
  });

  test('get more, but none of a caller that has yet to open its own, and leave few behind', async () => {
    const { session, agent, folder } = await startAgentSession();
    const slow = new Caller(folder);
    // Keeps its slot young, however long the others take.
    const later = Date.now() / 1000 + 3600;
    utimesSync(join(folder, 'slots', takenIn(folder)[0] ?? '', 'taken'), later, later);
    const calling = session.run('for i in {1..40}; do Agent wait $i & done; wait');
    await eventually('all are here', () => agent.calls.length === 40);
    expect(await slow.open().send(request('x')).receive(/x\n$/)).toContain('reply to x');
    slow.die();
    agent.release();
    expect((await calling).stdout.split('\n').length).toBe(41);
    await eventually('all are done', () => takenIn(folder).length <= 1);
    expect(slotsIn(folder).length).toBeLessThanOrEqual(32);
    await eventually('the others are closed', () => openButRemoved(folder).length === 0);
  });

  test('a reply that is not read yet takes no slot from others', async () => {
    const agent = new TestAgent(() => ({ stdout: 'x'.repeat(50_000) }));
    const { session, folder } = await startAgentSession(agent);
    await session.run(
      'mkfifo full; (for i in {1..6}; do Agent $i >full & done; wait) & exec 9<>full',
    );
    await eventually('all are heard', () => agent.calls.length === 6);
    await eventually('all have their reply', () => takenIn(folder).length === 0);
    expect((await session.run('Agent x | wc -c')).stdout).toBe('50000\n');
  });
});

test('a request may come in pieces of any size', async () => {
  const { folder } = await startAgentSession();
  const caller = new Caller(folder).open();
  for (const character of request('x', 'y')) {
    caller.send(character);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  expect(await caller.receive(/\n$/)).toContain('reply to x,y\n');
  caller.die();
});

test('a call takes the slot that was free first, and gives it back', async () => {
  const { session, folder } = await sessionWith(replyTo());
  const before = slotsIn(folder);
  await session.run('for i in {1..5}; do Agent $i; done');
  await eventually('the last one is done', () => takenIn(folder).length === 0);
  expect(slotsIn(folder)).toEqual(before);
});

describe('a host that is killed', () => {
  /** A host whose watchdog is killed with it, so that its folder stays. */
  async function startMortalHost() {
    const host = await startLivingHost("await session.run(':')");
    const folder = folderOf(host);
    for (const { pid, command } of processesWith(host.tmp)) {
      if (command.includes(' watchdog ')) process.kill(pid, 'SIGKILL');
    }
    onTestFinished(() => killProcessesWith(host.tmp));
    const place = { cwd: '/', env: { ...ENV, TMPDIR: host.tmp }, isOpen: true };
    const call = (...argv: string[]) => startProgram(join(folder, 'bin/Agent'), argv, place);
    const kill = async () => {
      host.child.kill('SIGKILL');
      await host.ended;
    };
    return { host, folder, call, kill };
  }

  const gone = { stdout: '', stderr: GONE, exitCode: 1, signal: null };

  test.runIf(hasProc)(
    'is noticed at once: by calls that wait for their reply, are in the middle of their input or their reply, or come later',
    async () => {
      const { call, kill, folder } = await startMortalHost();
      const waiting = Array.from({ length: 5 }, () => call('never'));
      const [short, long, large] = [call('-'), call('-'), call('x', '10000000')];
      large.child.stdout.pause();
      long.child.stdin.write('x'.repeat(200_000));
      await eventually('all have a slot', () => takenIn(folder).length === 8);
      for (const { child } of [long, large])
        await eventually('it reads or prints', () => childrenOf(child).length === 1);
      await kill();
      long.child.stdin.end('x'.repeat(200_000));
      short.child.stdin.end('x');
      large.child.stdout.resume();
      for (const { ended } of [...waiting, short, long]) expect(await ended).toEqual(gone);
      // However much of it was printed.
      expect(await large.ended).toMatchObject({ stderr: GONE, exitCode: 1 });
      expect(large.said.stdout.length).toBeLessThan(10_000_000);
      expect(await call('x', '5').ended).toEqual(gone);
      expect(await call('x'.repeat(100_000), 'x'.repeat(100_000)).ended).toEqual(gone);
    },
  );

  test.runIf(hasProc)(
    'is noticed at once: by calls that wait for a slot, or are in the middle of their arguments',
    async () => {
      const { host, call, kill, folder } = await startMortalHost();
      host.child.kill('SIGSTOP');
      const calls = [call('x', '5'), call(...Array(5).fill('x'.repeat(100_000)))];
      await eventually('both have a slot', () => takenIn(folder).length === 2);
      calls.push(...Array.from({ length: 8 }, () => call('x', '5')));
      await eventually('no slot is free', () => takenIn(folder).length === slotsIn(folder).length);
      await kill();
      for (const { ended } of calls) expect(await ended).toEqual(gone);
    },
  );

  test('no later host in its place is believed', async () => {
    const { call, kill, folder } = await startMortalHost();
    await kill();
    if (process.getuid?.() !== 0) return expect(await call('x', '5').ended).toEqual(gone);
    // The folder is replaced by another user's while the script runs.
    const stopped = spawn(
      'bash',
      ['-c', 'read -r; . "$1"', `${folder}/bin/Agent`, `${folder}/bin/Agent`],
      { env: ENV },
    );
    const text = once(stopped.stderr, 'data').then(([chunk]) => String(chunk));
    const planted = temporaryDirectory();
    cpSync(join(folder, 'bin'), join(planted, 'bin'), { recursive: true });
    mkdirSync(join(planted, 'slots'));
    rmSync(folder, { recursive: true });
    renameSync(planted, folder);
    for (const file of [folder, join(folder, 'bin'), join(folder, 'bin/Agent')]) {
      chmodSync(file, 0o777);
      chownSync(file, 65534, 65534);
    }
    stopped.stdin.end('\n');
    expect(await text).toBe(`Agent: the folder of its agent shell belongs to another user\n`);
  });
});

describe('the private folder', () => {
  /** New slots may just be made in it. */
  const remove = (path: string) => rmSync(path, { recursive: true, maxRetries: 10 });
  const plantInPlaceOf = (folder: string) => {
    remove(folder);
    mkdirSync(join(folder, 'bin'), { recursive: true });
    for (const name of ['Agent', 'ls', 'line']) {
      writeFileSync(join(folder, 'bin', name), '#!/bin/sh\necho planted\n');
      chmodSync(join(folder, 'bin', name), 0o755);
    }
  };

  test('can be entered by this user only', async () => {
    const { session, folder } = await startAgentSession();
    await session.run('Agent x');
    await eventually('the call has ended', () => takenIn(folder).length === 0);
    for (const file of [folder, ...listFiles(folder).map((name) => join(folder, name))]) {
      expect(statSync(file).mode & 0o077, file).toBe(0);
    }
  });

  test.each([
    ['was moved', (folder: string) => renameSync(folder, `${folder}.moved`)],
    ['was removed, and another one planted in its place', plantInPlaceOf],
    ['has lost its commands', (folder: string) => rmSync(join(folder, 'bin/Agent'))],
    ['has lost its slots', (folder: string) => remove(join(folder, 'slots'))],
    ['has lost its FIFO for reports', (folder: string) => rmSync(join(folder, 'status'))],
  ])('that %s is replaced by another, in a fresh bash, with a note', async (_name, damage) => {
    const { session, folder } = await startAgentSession();
    await session.run('variable=kept');
    damage(folder);
    const isPlanted = existsSync(join(folder, 'bin/line'));
    const { stdout, stderr, exitCode } = await session.run('ls; Agent x');
    expect([stdout, exitCode]).toEqual(['', 1]);
    expect(stderr).toContain(
      `agent-shell: bash had lost its files in ${folder} before this line; `,
    );
    expect(await session.run('Agent "[$variable]"; ls -d /')).toEqual(printed('reply to []\n/\n'));
    const [own] = (await session.run('type -P Agent; bash -c "type -P Agent"')).stdout.split('\n');
    expect(own?.startsWith(`${session.tmp}/`)).toBe(true);
    expect(own?.startsWith(`${folder}/`)).toBe(false);
    if (isPlanted) expect(listFiles(folder)).toEqual(['bin', 'bin/Agent', 'bin/line', 'bin/ls']);
    await session.run('exit 3');
    expect((await session.run('Agent again', { stdin: 'x' })).stdout).toBe('reply to again\n');
    await session.dispose();
    const left = readdirSync(session.tmp).map((name) => join(session.tmp, name));
    expect(left.filter((path) => path !== folder && path !== `${folder}.moved`)).toEqual([]);
  });

  test('that a line damages costs its bash at most, which is told, and no descriptor', async () => {
    const { session } = await startAgentSession();
    let isLost = false;
    /** What a line has damaged may end bash before any later line. */
    const run = async (line: string) => {
      let result = await session.run(line);
      while (result.stderr.includes('the line was not run')) {
        isLost = true;
        result = await session.run(line);
      }
      return result;
    };
    for (const damage of [
      ...['rm -rf "$TMPDIR"/*', 'rm -rf $f/*', 'rm $f/status', 'rm $f/go', 'rm -r $f/bin'],
      ...['rm $f/slots/*/in', 'rm $f/slots/*/out'],
      ...['rm -r $f/slots', 'echo bytes >>$f/status', 'echo bytes >>$f/go', 'echo bytes >>$f/bash'],
    ]) {
      isLost = BASH_ENDED.test((await run('kept=yes')).stderr);
      const { stderr, exitCode } = await run(`f=$TMPDIR/agent-shell-*; ${damage}; (exit 4)`);
      if (damage.startsWith('rm')) expect([damage, exitCode]).toEqual([damage, 4]);
      // Without a note, it is still this bash.
      isLost ||= BASH_ENDED.test(stderr);
      for (let round = 0; round < 4; round += 1) {
        const next = await run('echo "next [$kept]"');
        const stdout = `next [${isLost ? '' : 'yes'}]\n`;
        if (next.exitCode === 0) expect([damage, next.stdout]).toEqual([damage, stdout]);
        isLost ||= BASH_ENDED.test(next.stderr);
      }
      expect([damage, (await run('Agent x')).stdout]).toEqual([damage, 'reply to x\n']);
    }
    await eventually('all are closed', () => openButRemoved(session.tmp).length === 0);
  });

  test('is removed where PATH is read-only: the next bash finds its commands all the same', async () => {
    const session = startSession({ handlers: [new TestAgent(() => ({ stdout: 'ours' }))] });
    for (const mode of ['', 'set -o posix; ']) {
      const line = `${mode}readonly PATH; folder=$(echo "$TMPDIR"/*); rm -rf "$folder"`;
      expect((await session.run(line)).stderr).toMatch(BASH_ENDED);
      expect(await session.run('Agent x')).toMatchObject({ stdout: 'ours', stderr: '' });
    }
  });
});

test('too low a limit of descriptors is named as the reason', async () => {
  const agent = replyTo();
  const { session } = await sessionWith(agent);
  const { stdout, stderr, exitCode } = await session.run('(ulimit -n 6; Agent x)');
  expect([stdout, exitCode]).toEqual(['', 1]);
  expect(stderr).not.toContain('gone');
  expect(agent.calls).toEqual([]);
  expect((await session.run('Agent y')).stdout).toBe('reply to y\n');
});

test('a script without the slots of a host says that the host has ended', async () => {
  const { session } = await sessionWith(replyTo());
  const line = 'cp -r "$(dirname "$(type -P Agent)")" scripts; ./scripts/Agent x';
  expect(await session.run(line)).toEqual(printed('', GONE, 1));
});

test('the caller names the list, by exported variables or before the command', async () => {
  const seen: unknown[] = [];
  const handler = {
    name: 'Agent',
    execute: async ({ env }: { env?: unknown }) => {
      seen.push(env);
      return printed();
    },
  };
  const session = startSession({ handlers: [handler], env: { TODO_TEAM: 'host' } });
  await session.run(
    "TODO_SESSION=unexported; Agent; export TODO_AGENT=$'b\\nöb' TODO_TEAM=; TODO_TASK_LIST='=' Agent; env -u TODO_AGENT -u TODO_TEAM \"$(type -P Agent)\"",
  );
  expect(seen).toEqual([
    { TODO_TEAM: 'host' },
    { TODO_AGENT: 'b\nöb', TODO_TEAM: '', TODO_TASK_LIST: '=' },
    {},
  ]);
});
