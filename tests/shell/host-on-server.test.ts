import { describe, expect, test } from 'vitest';
import { JsonlClient } from '../helpers/agent-shell.ts';
import { callCommand } from '../helpers/commands.ts';
import { cleanEnvironment } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { startProxy } from '../helpers/proxy.ts';
import { useServers } from '../helpers/servers.ts';

// `agent-shell --jsonl` with lists on a server, which the host follows over a connection of its own.

const servers = useServers();

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
    /** A command of another process. */
    async call(agent: string, name: string, ...argv: string[]) {
      const ended = await callCommand(environment(agent), name, argv, { cwd });
      expect(ended).toMatchObject({ exitCode: 0 });
    },
    host: (agent: string, where = url, seconds = 20) =>
      new JsonlClient({ cwd, env: environment(agent, where, seconds) }),
  };
}

const items = (...contents: string[]) =>
  JSON.stringify(contents.map((content) => ({ content, activeForm: content, status: 'pending' })));
const list = (...contents: string[]) => `TodoWrite '{"todos":${items(...contents)}}'`;

/** Asks for something harmless until the note comes. */
async function told(host: JsonlClient, text: RegExp): Promise<string[]> {
  const heard: string[] = [];
  for (let line = 0; line < 2000 && !heard.some((said) => text.test(said)); line++) {
    heard.push(...((await host.send('true')).reminders ?? []));
  }
  return heard;
}

describe.for(servers.one)('a host whose lists live on %s', ([, isHere, server]) => {
  test.runIf(isHere)("tells its agent once about a person's changes elsewhere", async () => {
    const { host, call } = team(server().url);
    const ann = host('ann');
    expect(await ann.send(list('Build', 'Ship'))).toMatchObject({ exitCode: 0 });
    await call('user', 'TodoWrite', '--agent', 'ann', items('Build'));
    const heard = await told(ann, /the user dropped "Ship"/);
    expect(heard.filter((text) => text.includes('the user'))).toHaveLength(1);
    for (let line = 0; line < 20; line++) {
      expect(JSON.stringify(await ann.send('true'))).not.toContain('the user');
    }
    expect((await ann.send('TodoRead')).stdout).toBe('[ ] Build\n\n(0/1 completed)\n');
  });

  test.runIf(isHere)('tells its agent what the team did to its tasks', async () => {
    const { host, call } = team(server().url);
    const ann = host('ann');
    await ann.send('TaskCreate --subject Build');
    await call('bob', 'TaskClaim', '1');
    expect((await told(ann, /#1 "Build": .* by bob/)).join('\n')).toContain('#1 "Build"');
  });
});

describe.for(servers.each)('a host whose lists live on %s', ([, isHere, server]) => {
  test.runIf(isHere)('uses its connections again, for the commands inside bash too', async () => {
    const proxy = await startProxy(server().port);
    const { host } = team(server().urlAt(proxy.port));
    const ann = host('ann');
    await ann.send(`${list('a')}; TaskCreate --subject A | cat`);
    await ann.send('TodoRead && TaskList');
    const before = proxy.connections();
    for (let count = 0; count < 10; count++) {
      const { exitCode } = await ann.send(`${list(`a${count}`)} --drop 1 | cat; TaskList`);
      expect(exitCode).toBe(0);
    }
    // A read that meets a change under way opens another, which stays: a few in all, not some for each line.
    expect(proxy.connections() - before).toBeLessThan(4);
  });

  test.runIf(isHere)(
    'does not delay a line for a silent server, and ends with its input',
    async () => {
      const proxy = await startProxy(server().port);
      const { host, call } = team(server().url);
      // The wait for the server would outlast the test.
      const ann = host('ann', server().urlAt(proxy.port), 100_000);
      await ann.send(list('Build', 'Ship'));
      await ann.send('TaskCreate --subject A; TaskClaim 1');
      await call('user', 'TodoWrite', '--agent', 'ann', items('Build'));
      proxy.fallSilent();
      for (let line = 0; line < 5; line++)
        expect(await ann.send('echo hi')).toMatchObject({ exitCode: 0 });
      await ann.end();
    },
  );
});
