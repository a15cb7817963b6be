import { describe, expect, test } from 'vitest';
import { PersonsShell } from '../helpers/persons-shell.ts';
import { useServers } from '../helpers/servers.ts';
import { hasTmux } from '../helpers/tmux.ts';

const servers = useServers();
const TODO = (content: string) =>
  `TodoWrite '[{"content":"${content}","activeForm":"${content}","status":"pending"}]'`;

describe.for(servers.one)('the panel of an interactive shell on %s', ([, isHere, server]) => {
  const start = (TODO_STATE_URL: string) =>
    PersonsShell.start({ env: { TODO_STATE_URL, TODO_SESSION: 'release', TODO_AGENT: 'ann' } });

  test.runIf(isHere && hasTmux)(
    'shows writes from here at once, and after a command those from elsewhere',
    async () => {
      const shell = await start(server().url);
      shell.enter(TODO('Build'));
      await shell.untilPanel((panel) => panel.some((row) => row.includes('Build')));
      shell.enter(
        `(TODO_AGENT=user ${TODO('Ship').replace('TodoWrite', 'TodoWrite --agent ann')}) >/dev/null 2>&1`,
      );
      const rows = await shell.untilPanel((panel) => panel.some((row) => row.includes('Ship')));
      expect(rows.filter((row) => row.includes('Build'))).toEqual([]);
    },
  );
});

test.runIf(hasTmux)('a server that cannot be reached leaves the prompt as it is', async () => {
  const shell = await PersonsShell.start({
    env: { TODO_STATE_URL: 'etcd://127.0.0.1:1/acme', TODO_SESSION: 'release' },
  });
  expect(await shell.run('echo hi')).toBe('hi');
  expect(await shell.run('echo ho')).toBe('ho');
  expect(shell.all()).not.toMatch(/rror|Tasks/);
});
