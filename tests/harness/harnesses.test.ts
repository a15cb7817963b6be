import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { quote } from '../../src/base/line/quotes.ts';
import { AGENT_SHELL } from '../helpers/agent-shell.ts';
import { ENV } from '../helpers/bash.ts';
import { callCommand } from '../helpers/commands.ts';
import { eventually } from '../helpers/eventually.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { forAllTests } from '../helpers/for-all-tests.ts';
import { hasPrograms } from '../helpers/machine.ts';
import { hasProc, processesWith } from '../helpers/processes.ts';
import { hasTmux, TmuxTerminal } from '../helpers/tmux.ts';

// Each harness's own way to start a shell, once with bash and once with agent-shell: the harness sees the same output. The
// sources are noted beside each.

const BASH = spawnSync('bash', ['-c', 'echo "$BASH"'], { encoding: 'utf8' }).stdout.trim();
// The filter of Codex's workspace-write: codex-rs/linux-sandbox/src/landlock.rs, install_network_seccomp_filter_on_current_thread.
const FILTER = ['perl', join(import.meta.dirname, '../helpers/deny-sockets.pl'), 'codex'] as const;
const hasFilter = spawnSync(FILTER[0], [...FILTER.slice(1), 'true']).status === 0;

const PLAN = `TodoWrite '{"todos":[{"content":"Build","activeForm":"Building","status":"in_progress"}]}'`;
const PLANNED = 'Todo list updated: 0 completed, 1 in_progress, 0 pending\n';
const LIST = '[>] Build <- Building\n\n(0/1 completed)\n';

const { stderr: REFUSAL, exitCode: REFUSED } = await callCommand({ HOME: ENV.HOME }, 'TodoWrite', [
  'nope',
]);

/** The commands beside a plain bash say at once what they say in agent-shell, where they are the real ones. */
const commands = forAllTests((finished) => {
  const folder = temporaryDirectory(finished);
  const say = (name: string, ...lines: string[]) =>
    writeFileSync(join(folder, name), ['#!/bin/sh', ...lines, ''].join('\n'), { mode: 0o755 });
  const refuse = `[ "$1" != nope ] || { printf %s ${quote(REFUSAL)} >&2; exit ${REFUSED}; }`;
  say('TodoWrite', refuse, `printf %s ${quote(PLANNED)}`);
  say('TodoRead', `printf %s ${quote(LIST)}`);
  return folder;
});

/** A work folder, and the environment of a harness started there. */
function machine(shell: 'bash' | 'agent-shell') {
  const root = temporaryDirectory();
  const work = join(root, 'work');
  const links = join(root, 'links');
  for (const folder of [work, links, join(root, 'home')]) mkdirSync(folder);
  symlinkSync(AGENT_SHELL, join(links, 'agent-shell'));
  if (shell === 'agent-shell')
    for (const name of ['bash', 'sh']) symlinkSync(AGENT_SHELL, join(links, name));
  const own = shell === 'bash' ? [commands()] : [];
  const env = {
    ...ENV,
    PATH: [links, ...own, ENV.PATH].join(delimiter),
    HOME: join(root, 'home'),
    TERM: 'xterm',
    TODO_STATE_DIR: join(root, 'state'),
    MARK: root,
  };
  // Bash calls itself by the name it was started by, agent-shell always by the plain one.
  const plain = (output: string) => output.replaceAll(root, 'ROOT').replaceAll(BASH, 'bash');
  /** The file that stands for bash: by its name on PATH, or as the harness is told. */
  const named = shell === 'bash' ? BASH : join(links, 'agent-shell');
  return { root, work, env, named, plain };
}
type Machine = ReturnType<typeof machine>;

/** The effects of a line, as the harness sees them. */
interface Seen {
  output: string;
  exit: number | null;
  signal?: string | null;
}

interface Start {
  argv: readonly string[];
  env?: Record<string, string>;
  shell?: string;
}

/** A child process of Node in a session of its own, its outputs merged. */
async function child({ argv, env, ...options }: Start, on: Machine): Promise<Seen> {
  const [file = '', ...rest] = argv;
  const started = spawn(file, rest, {
    ...{ cwd: on.work, stdio: ['ignore', 'pipe', 'pipe'], detached: true, ...options },
    env: { ...on.env, ...env },
  });
  const [stdout, stderr, [exit, signal]] = await Promise.all([
    text(started.stdout as NodeJS.ReadableStream),
    text(started.stderr as NodeJS.ReadableStream),
    once(started, 'close'),
  ]);
  return { output: on.plain(stdout + stderr), exit, signal };
}

/** How each starts a line. */
const SPAWNS: Record<string, (line: string, on: Machine) => Start> = {
  // SWE-agent/mini-swe-agent: src/minisweagent/environments/docker.py, `interpreter`. docker gives no environment but its own.
  'mini-swe-agent in docker': (line, { env }) => {
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    return { argv: ['env', '-i', ...variables, 'bash', '-lc', line] };
  },
  // Its extra/bubblewrap.py and singularity.py.
  'mini-swe-agent in bubblewrap': (line) => ({ argv: ['bash', '-c', line] }),
  // openai/codex: codex-rs/core/src/shell.rs, derive_exec_args; spawn.rs starts a session of processes.
  'Codex, login, in its sandbox': (line, { named }) => ({
    argv: [...(hasFilter ? FILTER : []), named, '-lc', line],
  }),
  // Ibid., wrap_command_with_snapshot.
  'Codex, with a snapshot': (line, { root }) => {
    const snapshot = join(root, 'snapshot.sh');
    writeFileSync(snapshot, 'unalias -a 2>/dev/null || true\nset +o pipefail\n');
    // The first argument after the line is $0.
    const wrapped = ['-c', '. "$1" && shift && exec "$@"', 'bash', snapshot];
    return { argv: ['bash', ...wrapped, 'bash', '-lc', line] };
  },
  // google-gemini/gemini-cli: packages/core/src/services/shellExecutionService.ts, childProcessFallback, with the wrap of
  // tools/shell.ts.
  'Gemini CLI': (line, { root }) => {
    const wrapped = `_bgpids_file=${join(root, 'bgpids')}\n(\n  trap 'jobs -p > "$_bgpids_file"' EXIT\n${line}\n)\n__code=$?\nexit $__code`;
    const guarded = `shopt -u promptvars nullglob extglob nocaseglob dotglob; ${wrapped}`;
    const env = { GEMINI_CLI: '1', TERM: 'xterm-256color', PAGER: 'cat', GIT_PAGER: 'cat' };
    return { argv: ['bash', '-c', guarded], env };
  },
  // sst/opencode: packages/opencode/src/tool/bash.ts.
  opencode: (line, { named }) => ({ argv: [line], shell: named }),
  // Claude Code 2.1, seen with strace: the prefix of CLAUDE_CODE_SHELL_PREFIX.
  'Claude Code': (line, { named, root }) => {
    const quoted = `'${line.replaceAll("'", `'"'"'`)}'`;
    const whole = `source /dev/null 2>/dev/null || true && shopt -u extglob 2>/dev/null || true && eval ${quoted} < /dev/null && pwd -P >| ${join(root, 'cwd')}`;
    return { argv: [named, '-c', whole], env: { CLAUDECODE: '1', GIT_EDITOR: 'true' } };
  },
};

/** Lines whose results a harness reads, each in a shell of its own. */
const LINES = [
  'echo out; echo err >&2; cat; read x; echo "[$x]"; test -t 0 || echo no terminal\n' +
    'echo "$0 $- ${BASH_SUBSHELL} $#"; env | grep -c AGENT_SHELL; mkdir sub && cd sub && pwd\n' +
    'nosuchcommand; echo $?; (exit 7)',
  'kill -9 $$',
  'exec 3>&1; set -euo pipefail; for i in 1 2; do echo $i >&3; done | tac; false | true; echo never',
];

test.for(Object.entries(SPAWNS))(
  '%s gets the same from agent-shell as from bash, and has the list of its folder',
  async ([name, startOf], { skip }) => {
    const [plain, ours] = [machine('bash'), machine('agent-shell')];
    for (const line of LINES) {
      const [wanted, seen] = await Promise.all(
        [plain, ours].map((on) => child(startOf(line, on), on)),
      );
      expect({ line, ...seen }).toEqual({ line, ...wanted });
    }
    expect(await child(startOf(PLAN, ours), ours)).toMatchObject({ output: PLANNED, exit: 0 });
    const { stdout } = await callCommand(ours.env, 'TodoRead', [], { cwd: ours.work });
    expect(stdout).toBe(LIST);
    skip(!hasFilter && name.endsWith('sandbox'), "perl cannot set up Codex's filter here");
  },
);

// As SWE-agent/mini-swe-agent does it, src/minisweagent/environments/local.py: the group of processes is killed; and
// sst/opencode, whose Shell.killTree sends SIGTERM first.
test.runIf(hasProc).each(['SIGKILL', 'SIGTERM'] as const)(
  'at a time limit the group of processes is ended by %s, and nothing is left',
  async (signal) => {
    for (const line of ['sleep 1000 & sleep 1001; echo never', 'TodoWrite']) {
      const { env, work, named, root } = machine('agent-shell');
      const started = spawn(named, ['-c', line], {
        cwd: work,
        env,
        detached: true,
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      const found = () => processesWith(root);
      await eventually('the line runs', () =>
        found().some(({ command }) => !/sh -c|agent-shell/.test(command)),
      );
      process.kill(-(started.pid as number), signal);
      const [exit, ended] = await once(started, 'close');
      expect([line, exit, ended]).toEqual([line, null, signal]);
      await eventually('nothing is left', () => found().length === 0);
      expect(found()).toEqual([]);
    }
  },
);

/** Harnesses that type lines at one shell and wait for its prompt, which shows the exit code. */
interface Typist {
  argv?: (on: Machine) => string[];
  prompt: string;
  /** What sets the prompt. */
  first?: string;
  echo?: boolean;
  env?: Record<string, string>;
}

const TYPISTS: Record<string, Typist> = {
  'SWE-ReX: one bash, with a prompt of its own and echo off': {
    argv: () => ['/usr/bin/env', 'bash'],
    prompt: '$? READY> ',
    first: "export PS1=$PROMPT; export PS2=''; export PS0=''",
    echo: false,
  },
  'OpenHands: bash -i without a terminal to control, JSON in PS1, set by PROMPT_COMMAND': {
    argv: ({ named }) => ['setsid', '-w', named, '-i'],
    prompt: String.raw`\n{"exit_code": "$?", "cwd": "\w"}\nREADY> `,
    first: `set +H; export PROMPT_COMMAND='export PS1=$PROMPT'; export PS2=""`,
  },
  'any with a prompt that prints JSON': { prompt: '{"exit_code": "$?"} READY> ' },
  'any with a prompt that ends in a newline': { prompt: '$? READY> \\n' },
  'any that sets a variable': { prompt: '$? READY> ', env: { AI_AGENT: '1' } },
};

const TYPED = [
  ...['mkdir sub && cd sub && x=5', PLAN, 'TodoRead | cat', 'TodoWrite nope', 'nosuchcommand'],
  ...['echo $x; basename "$PWD"; false', 'cat <<EOF\na b\n$x\nEOF', 'seq 30'],
];

describe.runIf(hasPrograms('python3'))('on a pseudoterminal', () => {
  /** The output of each line, as terminals.py sees it. */
  async function answers(
    on: Machine,
    env: Record<string, string>,
    request: object,
  ): Promise<Seen[]> {
    const python = execFile('python3', [join(import.meta.dirname, 'terminals.py')], {
      cwd: on.work,
      env: { ...on.env, ...env },
    });
    python.stdin?.end(JSON.stringify(request));
    const [out, errors] = await Promise.all([
      text(python.stdout as NodeJS.ReadableStream),
      text(python.stderr as NodeJS.ReadableStream),
    ]);
    if (out === '') throw new Error(errors);
    return JSON.parse(on.plain(out));
  }

  test.each(Object.entries(TYPISTS))('%s: sees nothing but what bash shows', async (_, typist) => {
    const { prompt, first = 'PS1=$PROMPT', echo = true, env } = typist;
    const { argv = ({ named }) => [named] } = typist;
    const seenOf = async (on: Machine) => {
      const request = { argv: argv(on), lines: TYPED, first, echo };
      const all = await answers(on, { PROMPT: prompt, ...env }, request);
      await eventually('its shell has ended', () => processesWith(on.root).length === 0);
      // The number of line ends around a prompt depends on timing.
      return all.map(({ output }) => output.replace(/[\r\n]+/g, '\n').trim());
    };
    const [wanted, seen] = await Promise.all([machine('bash'), machine('agent-shell')].map(seenOf));
    expect(seen).toEqual(wanted);
    expect(seen?.[1]).toContain(PLANNED.trim());
    expect(seen?.[2]).toContain(LIST.replace('\n\n', '\n').trim());
  });

  test('Aider: $SHELL -i -c; Gemini CLI with node-pty: bash -c', async () => {
    const look = 'echo hello; test -t 0 && test -t 1 && echo terminal; stty size; tput cols';
    const lines = [look, 'false', 'nosuchcommand', PLAN, 'TodoRead'];
    // Nothing tells Aider's terminal from a person's.
    const [aider, gemini] = [{ TODO_PANEL: 'off' }, { GEMINI_CLI: '1' }];
    const spawned = [[aider, '-i', '-c'] as const, [gemini, '-c'] as const];
    for (const [env, ...options] of spawned) {
      const [wanted, seen] = await Promise.all(
        [machine('bash'), machine('agent-shell')].map((on) =>
          answers(on, env, { argv: [on.named, ...options], lines }),
        ),
      );
      expect(seen).toEqual(wanted);
      expect(seen?.slice(-2)).toEqual([
        { output: PLANNED, exit: 0 },
        { output: LIST, exit: 0 },
      ]);
    }
  });
});

test.runIf(hasTmux && hasProc)(
  'Terminal-Bench: keys are sent to a login shell in tmux, and the pane is captured',
  async () => {
    const paneOf = async (shell: 'bash' | 'agent-shell') => {
      // harbor-framework/harbor: src/harbor/agents/terminus_2/tmux_session.py; laude-institute/terminal-bench before it.
      const on = machine(shell);
      writeFileSync(join(on.env.HOME, '.bash_profile'), `PS1='$ '\nPATH='${on.env.PATH}'\n`);
      const variables = Object.entries(on.env).map(([name, value]) => `${name}='${value}'`);
      const line = `exec env -i ${variables.join(' ')} bash --login`;
      const terminal = new TmuxTerminal(line, { columns: 160, rows: 40, cwd: on.work });
      // Keys that come before the prompt are echoed twice.
      const type = async (text: string) => {
        await terminal.until('a prompt', (screen) => /(^|\n)\$$/.test(screen));
        terminal.enter(text);
      };
      await type('export TODO_PANEL=off; clear; echo begun');
      await terminal.until('an empty screen', (screen) => screen.startsWith('begun\n'));
      const lines = ['shopt -q login_shell; echo login $?', PLAN, 'TodoRead | cat', 'seq 60'];
      for (const [at, text] of lines.entries()) {
        await type(`${text}; echo line ${at}`);
        await terminal.until('its end', (screen) => screen.endsWith(`\nline ${at}\n$`));
      }
      await type('sleep 1000');
      const runs = ({ command }: { command: string }) => command === 'sleep 1000';
      await eventually('it runs', () => processesWith(on.root).some(runs));
      terminal.press('C-c');
      await type('echo "after $?"');
      await terminal.until('its end', (screen) => /\nafter 130\n\$$/.test(screen));
      const pane = terminal.all();
      for (const shown of ['\nlogin 0\n', `\n${PLANNED}`, `\n${LIST}`])
        expect(pane).toContain(shown);
      await type('exit');
      await eventually('its end', () => processesWith(on.root).length === 0);
      return pane;
    };
    const [plain, ours] = await Promise.all([paneOf('bash'), paneOf('agent-shell')]);
    expect(ours).toBe(plain);
  },
);
