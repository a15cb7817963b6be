import { accessSync, constants, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification, type VitestPluginContext } from 'vitest/node';
import { pageScript } from './scripts/page-script.js';
import { runFolder } from './tests/helpers/run-folder.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const tsconfig = readFileSync('tsconfig.json', 'utf8');

process.env.TMPDIR = runFolder();
// Nothing of the person's own: a locale that is not installed, colours, an editing mode in each prompt, commits that are signed.
for (const name in process.env)
  if (/^(?:LC_|GIT_|FORCE_COLOR$)/.test(name)) delete process.env[name];
Object.assign(process.env, {
  LANG: 'C.UTF-8',
  INPUTRC: '/dev/null',
  GIT_CONFIG_GLOBAL: '/dev/null',
});
// Last, pyenv's python3, which starts 40 processes before the one of that name.
const isPyenv = (folder: string) => /\/\.?pyenv\/shims\/?$/.test(folder);
const folders = (process.env.PATH ?? '').split(':');
process.env.PATH = folders.sort((a, b) => Number(isPyenv(a)) - Number(isPyenv(b))).join(':');

/** The tests that have a worker each: they count what it does, or fill its memory. */
const APART = [
  'tests/{growth,work-counts}.test.ts',
  'tests/shell/bash/{bash-session-output,differential-fuzz}.test.ts',
];

/** What takes longest, in order: of the four workers, two wait for other processes while two have much to do. */
const LONG = `
  whole-run install servers/postgres-engine package viewer/follow docs tasks/at-exit shell/bash/slots
  servers/etcd-answer harness/harnesses servers/connection examples prompt/prompt-shell
  shell/bash/bash-session-state shell/bash/bash-session-timeout cli/jsonl shell/bash/bash-session-dispose
  shell/bash/bash-home cli/state-command todo/todo-prove servers/etcd-connection shell/bash/sandboxes demo
  cli/shell-list bin/agent-shell`
  .trim()
  .split(/\s+/);

/** They start next to no program, and leave their workers large: a process that has grown starts programs slowly. */
const LAST = /\/tests\/(base\/command|base\/json|guidance|screen|todo)\//;

function canWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** A worker is kept only from one file to the next, so those that have one each come first. */
class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ project, moduleId }: TestSpecification) => {
      if (project.config.isolate) return -1;
      const at = LONG.findIndex((name) => moduleId.endsWith(`/tests/${name}.test.ts`));
      return at >= 0 ? at : LONG.length + Number(LAST.test(moduleId));
    };
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  define: { PACKAGE_VERSION: JSON.stringify(version) },
  plugins: [
    {
      // Help pages, bash scripts and the page's script are imported as text, as the build does.
      name: 'text-files',
      enforce: 'pre',
      load: (id) => {
        const [file = '', query] = id.split('?');
        const isText = /\.(md|sh|txt|html)$/.test(id);
        const text =
          query === 'script' ? pageScript(file) : isText ? readFileSync(id, 'utf8') : undefined;
        return text === undefined ? undefined : `export default ${JSON.stringify(text)}`;
      },
      // What a module becomes depends on these too; and the page's script on all that it imports.
      configureVitest: (context: VitestPluginContext) =>
        context.experimental_defineCacheKeyGenerator(
          ({ id }) => !id.endsWith('?script') && `${version} ${tsconfig}`,
        ),
    },
  ],
  test: {
    // Modules that have not changed are kept from run to run: to transform them is a tenth of its work.
    experimental: { fsModuleCache: canWrite('node_modules') },
    globalSetup: 'tests/helpers/whole-run.ts',
    // Without SHLVL, bash takes a socket as its input, as Node's pipes are, for a remote shell, which reads ~/.bashrc.
    env: { TMPDIR: join(process.env.TMPDIR, 'files'), SHLVL: '1' },
    // Many tests wait for other processes: on two cores two more workers have the time that they leave.
    maxWorkers: 4,
    sequence: { sequencer: LongFilesFirst },
    // Only what hangs runs into it: neither a busy machine is a failure, nor TEST_RUNS, with which tests do many times as much.
    testTimeout: 300_000 * Number(process.env.TEST_RUNS ?? 1),
    hookTimeout: 300_000,
    // A test that asserts nothing passes whatever the product does.
    expect: { requireAssertions: true },
    // What no test loads is listed too.
    coverage: { include: ['src/**/*.ts'], exclude: ['**/*.d.ts'], reportOnFailure: true },
    projects: [
      {
        extends: true,
        test: { name: 'apart', include: APART },
      },
      // To start a worker and load the libraries takes longer than most of these files.
      {
        extends: true,
        test: {
          name: 'together',
          include: ['tests/**/*.test.ts'],
          exclude: APART,
          isolate: false,
        },
      },
    ],
  },
});
