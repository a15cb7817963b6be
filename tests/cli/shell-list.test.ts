import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { items } from '../guidance/agent-session.ts';
import { JsonlClient } from '../helpers/agent-shell.ts';
import { callCommand } from '../helpers/commands.ts';
import { hasEtcd, hasPostgres } from '../helpers/engines.ts';
import { cleanEnvironment, executable, run, startProgram } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { PersonsShell } from '../helpers/persons-shell.ts';
import { startProxy } from '../helpers/proxy.ts';
import { describeOn, useServers } from '../helpers/servers.ts';
import { hasTmux } from '../helpers/tmux.ts';

// Programs, hosts and prompts with lists on a server.

const servers = useServers();

/** Broken quotes, which Node has to interpret. */
const BROKEN = `TodoWrite '[{"content":"Don't","activeForm":"Going on","status":"pending"}]'`;

interface ListEvent {
  readonly event: 'todos' | 'tasks';
}

let sessions = 0;

/** A session with agents in one folder. */
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
    run: (name: 'agent-shell' | 'todo-write', argv: readonly string[], event: object = {}) =>
      run(name, argv, {
        ...{ cwd, env: environment('ann') },
        input: JSON.stringify({ session_id: 's', cwd: '/tmp', ...event }),
      }),
    host: (agent: string, where = url, seconds = 20) =>
      new JsonlClient({ cwd, env: environment(agent, where, seconds) }),
    /** Of its variables, a shell with a home of its own needs these. */
    shell: (columns = 80) => {
      const { TODO_STATE_URL, TODO_SESSION, TODO_AGENT } = environment('ann');
      const env = { TODO_STATE_URL, TODO_SESSION, TODO_AGENT } as Record<string, string>;
      return PersonsShell.start({ columns, env });
    },
    environment,
  };
}

const pending = (...contents: string[]) =>
  JSON.stringify({ todos: items(...contents.map((content) => `[ ] ${content}`)) });
const list = (...contents: string[]) => `TodoWrite '${pending(...contents)}'`;

/** Asks for something harmless until the note comes. */
async function told(host: JsonlClient, text: RegExp): Promise<string[]> {
  const heard: string[] = [];
  for (let line = 0; line < 2000 && !heard.some((said) => text.test(said)); line++) {
    heard.push(...((await host.send('true')).reminders ?? []));
  }
  return heard;
}

test.runIf(hasPostgres)('a refusal by PostgreSQL is reported as such, by a program too', () => {
  const url = servers.postgres.url.replace('lists@', 'nobody@');
  const argv = ['--add', 'A', '--active-form', 'B'];
  expect(team(url).run('todo-write', argv).stderr).toMatch(
    /refused: role "nobody" does not exist; nothing was changed\n$/,
  );
});

test.runIf(hasEtcd)(
  'a whole new list takes one request to read, one to write and one for the team',
  async () => {
    const asked: string[] = [];
    const proxy = createServer((request, response) => {
      asked.push(request.url ?? '');
      const upstream = new URL(`http://${servers.etcd.endpoints[0]}${request.url}`);
      const forwarded = httpRequest(upstream, { method: 'POST' }, (answer) =>
        answer.pipe(response),
      );
      request.pipe(forwarded);
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    onTestFinished(() => void proxy.close());
    const { port } = proxy.address() as { port: number };
    const { environment } = team(`${servers.etcd.urlAt(port)}/counted`);
    for (let round = 0; round < 2; round++) {
      asked.length = 0;
      const place = { cwd: '/', env: environment('ann') };
      const { exitCode } = await startProgram(executable('todo-write'), [pending('Build')], place)
        .ended;
      // The one for the team may come first or last.
      const requests = ['/v3/kv/range', '/v3/kv/range', '/v3/kv/txn'];
      expect([exitCode, ...asked.sort()]).toEqual([0, ...requests]);
    }
  },
);

describeOn(servers.one, (server) => {
  test('a helper is not told to verify where `main` has a list, by a program and by a host', async () => {
    const { run, host, call } = team(server().url);
    const todos = JSON.stringify({ todos: items('[x] Read', '[x] Write', '[x] Ship') });
    const verify = /none of them was a check/;
    expect(run('todo-write', [todos]).stderr).toMatch(verify);
    await call('main', 'TodoWrite', pending('Lead'));
    expect(run('todo-write', [pending('Read')]).stderr + run('todo-write', [todos]).stderr).toBe(
      '',
    );
    for (const [agent, count] of [
      ['ann', 0],
      ['main', 1],
    ] as const) {
      const client = host(agent);
      await client.send(list('Read'));
      const { stderr } = await client.send(`TodoWrite '${todos}'`);
      expect(stderr.split(verify)).toHaveLength(1 + count);
    }
  });

  test('the gate of a hook holds, and a new session is shown the list', () => {
    const { run } = team(server().url);
    run('todo-write', ['--until-done', pending('Build')]);
    const hook = (event: object) => run('agent-shell', ['hook'], event).stdout;
    const tool = { tool_name: 'Bash', tool_input: { command: 'TodoWrite x' } };
    hook({ hook_event_name: 'PostToolUse', ...tool, tool_response: { exit_code: 0 } });
    expect(JSON.parse(hook({ hook_event_name: 'Stop' }))).toMatchObject({ decision: 'block' });
    const start = { session_id: 'another', hook_event_name: 'SessionStart', source: 'startup' };
    const { hookSpecificOutput } = JSON.parse(hook(start));
    expect(hookSpecificOutput.additionalContext).toContain('[ ] Build');
  });

  test.runIf(hasTmux)(
    'the panel of an interactive shell shows writes from here at once, and after a command those from elsewhere',
    async () => {
      const { call, shell: start } = team(server().url);
      const shell = await start(120);
      shell.enter(list('Build'));
      await shell.untilPanel((panel) => panel.some((row) => row.includes('Build')));
      await call('user', 'TodoWrite', '--agent', 'ann', pending('Ship'));
      shell.enter('true');
      const rows = await shell.untilPanel((panel) => panel.some((row) => row.includes('Ship')));
      expect(rows.filter((row) => row.includes('Build'))).toEqual([]);
    },
  );

  test("a host tells its agent once about a person's changes elsewhere", async () => {
    const { host, call } = team(server().url);
    const ann = host('ann');
    expect(await ann.send(list('Build', 'Ship'))).toMatchObject({ exitCode: 0 });
    await call('user', 'TodoWrite', '--agent', 'ann', pending('Build'));
    const heard = await told(ann, /the user dropped "Ship"/);
    expect(heard.filter((text) => text.includes('the user'))).toHaveLength(1);
    for (let line = 0; line < 20; line++) {
      expect(JSON.stringify(await ann.send('true'))).not.toContain('the user');
    }
    expect((await ann.send('TodoRead')).stdout).toBe('[ ] Build\n\n(0/1 completed)\n');
  });
});

test.runIf(hasTmux)('a server that cannot be reached leaves the prompt as it is', async () => {
  const shell = await team('etcd://127.0.0.1:1/acme').shell();
  expect(await shell.run('echo hi')).toBe('hi');
  expect(await shell.run('echo ho')).toBe('ho');
  expect(shell.all()).not.toMatch(/rror|Tasks/);
});

describeOn(servers.each, (server) => {
  // A harness waits for its hook; an open connection would keep the process alive.
  test('a program that has answered ends, as TodoRead does', async () => {
    const { call, run } = team(server().url);
    await call('ann', 'TodoWrite', '--add', 'Build', '--active-form', 'Building');
    const timeOf = (argv: string[]) => {
      const start = performance.now();
      const ended = run('agent-shell', argv, { hook_event_name: 'SessionStart' });
      expect(ended, argv[0]).toMatchObject({ exitCode: 0 });
      return performance.now() - start;
    };
    for (const word of ['hook', 'prime', '--prompt', 'state', '-c']) {
      const argv = word === '-c' ? [word, BROKEN] : [word];
      // Such a connection closes after ten seconds, and each try would take as long.
      const isQuick = [1, 2, 3].some(() => timeOf(argv) < 9000);
      expect(isQuick, word).toBe(true);
    }
  });

  test("a client's first event of each list has what is on the server, empty or not", async () => {
    const { call, host } = team(server().url);
    const firstEvents = async () => {
      const client = host('ann');
      client.write('{"events":["todos","tasks"]}\n');
      const events = [await client.next<ListEvent>(), await client.next<ListEvent>()];
      await client.end();
      // Either answer may come first.
      return events.sort((a) => (a.event === 'todos' ? -1 : 1));
    };
    expect(await firstEvents()).toMatchObject([{ todos: [], version: 0 }, { tasks: [] }]);
    await call('ann', 'TodoWrite', pending('Build'));
    await call('ann', 'TaskCreate', '--subject', 'Ship');
    expect(await firstEvents()).toMatchObject([
      { todos: [{ content: 'Build' }], version: 1 },
      { tasks: [{ subject: 'Ship' }] },
    ]);
  });

  test('a host uses its connections again, for the commands inside bash too', async () => {
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

  test('a host does not delay a line for a silent server, and ends with its input', async () => {
    const proxy = await startProxy(server().port);
    const { host, call } = team(server().url);
    // The wait for the server would outlast the test.
    const ann = host('ann', server().urlAt(proxy.port), 100_000);
    await ann.send(list('Build', 'Ship'));
    await ann.send('TaskCreate --subject A; TaskClaim 1');
    await call('user', 'TodoWrite', '--agent', 'ann', pending('Build'));
    proxy.fallSilent();
    for (let line = 0; line < 5; line++)
      expect(await ann.send('echo hi')).toMatchObject({ exitCode: 0 });
    await ann.end();
  });
});
