import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { temporaryFolder } from './tests/helpers/temporary-folder.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

process.env.TMPDIR = temporaryFolder();

/** The tests that share their workers. The others look at processes, measure memory, or take long. */
const TOGETHER = [
  'tests/{bin,command,guidance,hook,json,panel,proof,router,setup,slips,state,tasks,terminal,todo}/*.test.ts',
  'tests/watch/!(on-server).test.ts',
  'tests/{architecture,demo,examples,links,public-api,readme,safe-text,settings}.test.ts',
  'tests/shell/{arguments,bash-options,completions,run-as-bash,session-shell}.test.ts',
];

/** Short files that take long. Without a cache of times, vitest begins with the largest. */
const LONG =
  /\/(shell|docs|readme|at-exit|load|scale|session-shell|take-terminal|state\/processes)\.test\.ts$/;

/** Those that have a worker each come first: they are the long ones, and a worker is kept only from one file to the next. */
class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ project, moduleId }: TestSpecification) =>
      2 * Number(!project.config.isolate) + Number(!LONG.test(moduleId));
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  define: { PACKAGE_VERSION: JSON.stringify(version) },
  plugins: [
    {
      // Help pages and bash scripts are imported as text, as the build does.
      name: 'text-files',
      enforce: 'pre',
      load: (id) =>
        /\.(md|sh|txt|html)$/.test(id)
          ? `export default ${JSON.stringify(readFileSync(id, 'utf8'))}`
          : undefined,
    },
  ],
  test: {
    globalSetup: 'tests/helpers/build.ts',
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
        test: { name: 'apart', include: ['tests/**/*.test.ts'], exclude: TOGETHER },
      },
      // To start a worker and load the libraries takes longer than most of these files.
      { extends: true, test: { name: 'together', include: TOGETHER, isolate: false } },
    ],
  },
});
