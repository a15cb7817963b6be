import { describe, expect, onTestFinished, test } from 'vitest';
import { callCommand } from '../helpers/commands.ts';
import { EtcdCluster, hasEtcd } from '../helpers/engines.ts';
import { eventually } from '../helpers/eventually.ts';
import { cleanEnvironment, executable, run, startProgram } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { isAlive } from '../helpers/processes.ts';
import { useServers } from '../helpers/servers.ts';
import { hasTmux, TmuxTerminal } from '../helpers/tmux.ts';

// Viewer, lines, page and sessions with lists on a server.

const servers = useServers();

let sessions = 0;

const json = (...lines: string[]) =>
  JSON.stringify({
    todos: lines.map((content) => ({ content, activeForm: `${content}ing`, status: 'pending' })),
  });

/** A session of its own. */
class OnServer {
  readonly #folder = temporaryDirectory();
  readonly session = `~/app ${++sessions}`;
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  env(more: Record<string, string> = {}): Record<string, string> {
    const env = { TODO_STATE_URL: this.url, HOME: this.#folder, TODO_STATE_TIMEOUT: '2' };
    return cleanEnvironment({ ...env, ...more });
  }

  write(agent: string, ...lines: string[]) {
    return this.#call(agent, 'TodoWrite', [json(...lines)]);
  }

  task(name: 'TaskCreate' | 'TaskClaim', ...argv: string[]) {
    return this.#call('ann', name, argv);
  }

  #call(agent: string, name: string, argv: string[]) {
    const env = this.env({ TODO_SESSION: this.session, TODO_AGENT: agent });
    return callCommand(env, name, argv, { cwd: this.#folder });
  }

  agentShell(...argv: string[]) {
    return run('agent-shell', argv, { cwd: this.#folder, env: this.env() });
  }

  /** Not on a terminal. */
  watch(...argv: string[]) {
    return this.watchAny('--session', this.session, ...argv);
  }

  /** Without a session, unless it is named here. */
  watchAny(...argv: string[]) {
    const place = { cwd: this.#folder, env: this.env() };
    return startProgram(executable('agent-shell'), ['watch', ...argv], place);
  }

  viewer(...argv: string[]): TmuxTerminal {
    const { TODO_STATE_URL, HOME, TODO_STATE_TIMEOUT } = this.env();
    const settings = `TODO_STATE_URL='${TODO_STATE_URL}' HOME='${HOME}' TODO_STATE_TIMEOUT=${TODO_STATE_TIMEOUT}`;
    const options = argv.map((word) => `'${word}'`).join(' ');
    const program = `${process.execPath} ${executable('agent-shell')} watch ${options}`;
    const terminal = new TmuxTerminal(`exec env -u TODO_SESSION ${settings} ${program}`);
    onTestFinished(() => terminal.close());
    return terminal;
  }
}

/** The messages of `watch --web` to a page. */
async function pageOf({ lines }: ReturnType<OnServer['watch']>) {
  const page = await eventually('the URL', () => lines()[0]);
  const answer = await fetch(`${page}events`, { headers: { 'sec-fetch-site': 'same-origin' } });
  const reader = answer.body?.getReader();
  onTestFinished(() => reader?.cancel());
  let text = '';
  const shown = async (what: string) => {
    while (!text.includes(what)) text += Buffer.from((await reader?.read())?.value ?? []);
  };
  return { shown, text: () => text };
}

// Finding and following on each engine: tests/state/lists.test.ts.
describe.runIf(hasEtcd)('agent-shell', () => {
  test('watch --jsonl prints the current lists and each version, later lists included', async () => {
    const at = new OnServer(servers.etcd.url);
    await at.write('ann', 'before');
    await at.write('ann', 'a');
    const { child, lines, ended } = at.watch('--all', '--jsonl');
    await eventually('the list as it stands', () => lines().length === 1);
    await at.write('ann', 'b');
    await at.write('bob', 'c');
    await at.write('ann', 'd');
    await eventually('all versions', () => lines().length === 4);
    const seen = lines().map((line) => JSON.parse(line));
    expect(seen.map(({ session }) => session)).toEqual(Array(4).fill(at.session));
    const versions = seen.map(({ agent, version, todos }) => [agent, version, todos[0].content]);
    expect(versions.filter(([agent]) => agent === 'ann')).toEqual([
      ['ann', 2, 'a'],
      ['ann', 3, 'b'],
      ['ann', 4, 'd'],
    ]);
    expect(versions).toContainEqual(['bob', 1, 'c']);
    child.kill('SIGTERM');
    expect((await ended).exitCode).toBe(143);
  });

  test('sessions lists each session with its progress', async () => {
    const at = new OnServer(servers.etcd.url);
    await at.write('ann', 'a', 'b');
    await at.task('TaskCreate', '--subject', 'Ship');
    const { sessions } = JSON.parse(at.agentShell('sessions', '--json').stdout);
    expect(
      sessions.find(({ session }: { session: string }) => session === at.session),
    ).toMatchObject({
      lists: [{ agent: 'ann', completed: 0, pending: 2, version: 1 }],
      tasks: { pending: 1 },
    });
    expect(at.agentShell('sessions').stdout).toMatch(/^SESSION +AGENT +DONE +CHANGED/);
  });

  test('watch --web on an empty server shows a page the first list as soon as there is one, and the team', async () => {
    const at = new OnServer(servers.etcd.emptyUrl());
    const { shown, text } = await pageOf(at.watchAny('--web'));
    await shown('"lists":[]');
    await at.write('ann', 'first');
    await shown('"text":"first"');
    await at.task('TaskCreate', '--subject', 'Ship');
    await shown('"text":"#1 Ship"');
    expect(text()).toContain(`"session":${JSON.stringify(at.session)}`);
  });

  test.skipIf(!hasTmux)(
    'watch without a session says so, and offers the newest lists',
    async () => {
      const at = new OnServer(servers.etcd.url);
      await at.write('ann', 'Build');
      const terminal = at.viewer();
      await terminal.until('the newest lists', (screen) =>
        screen.includes(`▸ ${at.session} · ann`),
      );
      expect(terminal.screen()).toContain('Set TODO_SESSION, or give --session NAME.');
      terminal.press('Enter');
      await terminal.until('the list', (screen) => screen.includes('○ Build'));
    },
  );
});

test('a server that cannot be reached from the start: exit code 3, and stderr says which', async () => {
  const at = new OnServer('etcd://127.0.0.1:1/x');
  // They wait at the same time.
  const watches = [['--jsonl'], ['--tasks']].map((argv) => at.watch(...argv));
  expect(at.agentShell('sessions')).toMatchObject({ exitCode: 3, stdout: '' });
  for (const { ended } of watches) {
    expect(await ended).toMatchObject({
      exitCode: 3,
      stderr: expect.stringMatching(/^agent-shell: cannot read from etcd at 127\.0\.0\.1:1: /),
    });
  }
  const noSession = run('agent-shell', ['watch', '--jsonl'], { cwd: '/', env: at.env() });
  expect(noSession).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining('--session NAME'),
  });
});

test.skipIf(!hasTmux)('q ends the viewer while its server cannot be reached', async () => {
  const at = new OnServer('postgres://lists@127.0.0.1:1/x');
  const terminal = at.viewer('--session', at.session);
  await terminal.until('the trouble', (screen) => screen.includes('127.0.0.1:1'));
  const { pid } = terminal;
  terminal.type('q');
  await eventually('its end', () => !isAlive(pid));
});

test.runIf(hasEtcd && hasTmux)(
  'changes made in the viewer reach the server; a lost one is reported, and changes after its return are shown',
  async () => {
    const own = await EtcdCluster.start();
    onTestFinished(() => own.stop());
    const at = new OnServer(own.url);
    await at.write('main', 'Build');
    const terminal = at.viewer('--session', at.session);
    await terminal.until('the list', (screen) => screen.includes('○ Build'));
    terminal.type('n');
    terminal.enter('Sign it');
    await terminal.until('the item', (screen) => screen.includes('○ Sign it'));
    terminal.type('bn');
    terminal.enter('Test it');
    await terminal.until('the task', (text) => text.includes('▸○ #1 Test it'));
    terminal.type('b');
    own.members[0]?.process.kill('SIGKILL');
    await terminal.until('the trouble', (screen) => screen.includes('etcd at'));
    own.members[0]?.restart();
    await own.leader();
    await at.write('main', 'Build', 'Sign it', 'Ship');
    await terminal.until('the next list', (screen) => screen.includes('○ Ship'));
  },
);
