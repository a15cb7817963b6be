import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cleanEnvironment, executable } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { startProxy } from '../helpers/proxy.ts';
import { useServers } from '../helpers/servers.ts';

// `agent-shell --jsonl` with lists on a server, which the host follows over a connection of its own.

const servers = useServers();

interface Answer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  readonly reminders?: readonly string[];
}

let sessions = 0;

function team(url: string) {
  const session = `s${++sessions}`;
  const cwd = temporaryDirectory();
  const environment = (agent: string, where = url, seconds = 20) =>
    cleanEnvironment({
      HOME: cwd,
      TODO_STATE_URL: where,
      TODO_STATE_TIMEOUT: String(seconds),
      // Releasing tasks at the end needs a server that answers.
      TODO_RELEASE_AT_EXIT: '0',
      TODO_SESSION: session,
      TODO_AGENT: agent,
    });
  return {
    /** A separate shell, which reuses no connection. */
    sh(agent: string, line: string) {
      const options = { cwd, env: environment(agent), encoding: 'utf8' } as const;
      const { stdout, stderr, status } = spawnSync(
        executable('agent-shell'),
        ['-c', line],
        options,
      );
      expect([status, stderr]).toEqual([0, expect.not.stringContaining('Error')]);
      return stdout;
    },
    host(agent: string, where = url, seconds = 20) {
      const child = spawn(executable('agent-shell'), ['--jsonl'], {
        cwd,
        env: environment(agent, where, seconds),
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const ask = async (command: string): Promise<Answer> => {
        child.stdin.write(`${JSON.stringify({ id: 1, command })}\n`);
        return JSON.parse((await lines.next()).value);
      };
      return { ask, child };
    },
  };
}

const list = (...contents: string[]) =>
  `TodoWrite '${JSON.stringify({
    todos: contents.map((content) => ({ content, activeForm: content, status: 'pending' })),
  })}'`;

/** Asks for something harmless until the note comes. */
async function told(ask: (line: string) => Promise<Answer>, text: RegExp): Promise<string[]> {
  const heard: string[] = [];
  for (let line = 0; line < 2000 && !heard.some((said) => text.test(said)); line++) {
    heard.push(...((await ask('true')).reminders ?? []));
  }
  return heard;
}

describe.for(servers.one)('a host whose lists live on %s', ([, isHere, server]) => {
  test.runIf(isHere)("tells its agent once about a person's changes elsewhere", async () => {
    const { host, sh } = team(server().url);
    const { ask } = host('ann');
    expect(await ask(list('Build', 'Ship'))).toMatchObject({ exitCode: 0 });
    sh('user', `TodoWrite --agent ann '${list('Build').slice(11, -1)}'`);
    const heard = await told(ask, /the user dropped "Ship"/);
    expect(heard.filter((text) => text.includes('the user'))).toHaveLength(1);
    for (let line = 0; line < 20; line++) {
      expect(JSON.stringify(await ask('true'))).not.toContain('the user');
    }
    expect((await ask('TodoRead')).stdout).toBe('[ ] Build\n\n(0/1 completed)\n');
  });

  test.runIf(isHere)('tells its agent what the team did to its tasks', async () => {
    const { host, sh } = team(server().url);
    const { ask } = host('ann');
    await ask('TaskCreate --subject Build');
    sh('bob', 'TaskClaim 1');
    expect((await told(ask, /#1 "Build": .* by bob/)).join('\n')).toContain('#1 "Build"');
  });
});

describe.for(servers.each)('a host whose lists live on %s', ([, isHere, server]) => {
  test.runIf(isHere)('uses its connections again, for the commands inside bash too', async () => {
    const proxy = await startProxy(server().port);
    const { host } = team(server().urlAt(proxy.port));
    const { ask } = host('ann');
    await ask(`${list('a')}; TaskCreate --subject A | cat`);
    await ask('TodoRead && TaskList');
    const before = proxy.connections();
    for (let count = 0; count < 10; count++) {
      const { exitCode } = await ask(`${list(`a${count}`)} --drop 1 | cat; TaskList`);
      expect(exitCode).toBe(0);
    }
    // A read that meets a change under way opens another, which stays: a few in all, not some for each line.
    expect(proxy.connections() - before).toBeLessThan(4);
  });

  test.runIf(isHere)(
    'does not delay a line for a silent server, and ends with its input',
    async () => {
      const proxy = await startProxy(server().port);
      const { host, sh } = team(server().url);
      // The wait for the server would outlast the test.
      const { ask, child } = host('ann', server().urlAt(proxy.port), 100_000);
      await ask(list('Build', 'Ship'));
      await ask('TaskCreate --subject A; TaskClaim 1');
      sh('user', `TodoWrite --agent ann '${list('Build').slice(11, -1)}'`);
      proxy.fallSilent();
      for (let line = 0; line < 5; line++)
        expect(await ask('echo hi')).toMatchObject({ exitCode: 0 });
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.stdin.end();
      await ended;
    },
  );
});
