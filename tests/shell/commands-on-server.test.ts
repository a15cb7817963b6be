import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import { dirname } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasEtcd, hasPostgres } from '../helpers/engines.ts';
import { cleanEnvironment, executable } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { useServers } from '../helpers/servers.ts';

// A team's commands on a server (docs/tasks.md runs them on files): each in its own process and directory.

const servers = useServers();

/** Broken quotes, which Node has to interpret. */
const BROKEN =
  '[{\\"content\\":\\"Don\'t stop\\",\\"activeForm\\":\\"Going on\\",\\"status\\":\\"pending\\"}]';

function team(place: Record<string, string>) {
  const home = temporaryDirectory();
  return (agent: string, line: string, input = '') => {
    const env = cleanEnvironment({
      HOME: home,
      PATH: `${dirname(executable('todo-write'))}:${process.env.PATH}`,
      TODO_SESSION: 'release',
      TODO_AGENT: agent,
      TODO_LEASE: 'off',
      ...place,
    });
    const options = { cwd: temporaryDirectory(), env, input, encoding: 'utf8' } as const;
    const { stdout, stderr, status } = spawnSync('bash', ['-c', line], options);
    return { stdout, stderr, exitCode: status };
  };
}

test.runIf(hasPostgres)('a refusal by PostgreSQL is reported as such, by a program too', () => {
  const url = servers.postgres.url.replace('lists@', 'nobody@');
  expect(team({ TODO_STATE_URL: url })('ann', 'TodoWrite --add A --active-form B').stderr).toMatch(
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
    const env = cleanEnvironment({
      HOME: temporaryDirectory(),
      TODO_STATE_URL: `${servers.etcd.urlAt(port)}/counted`,
      TODO_SESSION: 'release',
    });
    const list = '{"todos":[{"content":"Build","activeForm":"Building","status":"pending"}]}';
    for (let round = 0; round < 2; round++) {
      asked.length = 0;
      const [exitCode] = await once(spawn(executable('todo-write'), [list], { env }), 'close');
      // The one for the team may come first or last.
      const requests = ['/v3/kv/range', '/v3/kv/range', '/v3/kv/txn'];
      expect([exitCode, ...asked.sort()]).toEqual([0, ...requests]);
    }
  },
);

describe.for(servers.one)('on %s', ([, isHere, server]) => {
  test.runIf(isHere)('the gate of a hook holds, and a new session is shown the list', () => {
    const run = team({ TODO_STATE_URL: server().url });
    const todos = [{ content: 'Build', activeForm: 'Building', status: 'pending' }];
    run('ann', `TodoWrite --until-done '${JSON.stringify(todos)}'`);
    const hook = (event: object) => {
      const input = JSON.stringify({ session_id: 's', cwd: '/tmp', ...event });
      return run('ann', `exec '${executable('agent-shell')}' hook`, input).stdout;
    };
    const tool = { tool_name: 'Bash', tool_input: { command: 'TodoWrite x' } };
    hook({ hook_event_name: 'PostToolUse', ...tool, tool_response: { exit_code: 0 } });
    expect(JSON.parse(hook({ hook_event_name: 'Stop' }))).toMatchObject({ decision: 'block' });
    const start = { session_id: 'another', hook_event_name: 'SessionStart', source: 'startup' };
    const { hookSpecificOutput } = JSON.parse(hook(start));
    expect(hookSpecificOutput.additionalContext).toContain('[ ] Build');
  });
});

describe.for(servers.each)('on %s', ([, isHere, server]) => {
  // A harness waits for its hook; an open connection would keep the process alive.
  test.runIf(isHere)('a program that has answered ends, as TodoRead does', () => {
    const run = team({ TODO_STATE_URL: server().url });
    const input = JSON.stringify({ session_id: 's', cwd: '/tmp', hook_event_name: 'SessionStart' });
    const timeOf = (line: string) => {
      const start = performance.now();
      expect(run('ann', line, input), line).toMatchObject({ exitCode: 0 });
      return performance.now() - start;
    };
    timeOf('TodoWrite --add Build --active-form Building');
    const shell = executable('agent-shell');
    for (const line of ['hook', 'prime', '--prompt', 'state', `-c "TodoWrite '${BROKEN}'"`]) {
      // Such a connection closes after ten seconds, and each try would take as long.
      const isQuick = [1, 2, 3].some(() => timeOf(`'${shell}' ${line}`) < 9000);
      expect(isQuick, line).toBe(true);
    }
  });
});
