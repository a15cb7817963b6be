import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

/** The tests that run inside one process. The others start processes, look at them, or measure memory. */
const INSIDE =
  'tests/{command,guidance,hook,json,panel,router,setup,slips,state,tasks,terminal,todo,watch}/*.test.ts';

/** Those that have a worker each come first: they are the long ones, and a worker is kept only from one file to the next. */
class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isIsolated = ({ project }: TestSpecification) => project.config.isolate;
    return [...sorted.filter(isIsolated), ...sorted.filter((file) => !isIsolated(file))];
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
    // Many tests wait for other processes: on two cores a third worker has the time that they leave.
    maxWorkers: 3,
    sequence: { sequencer: LongFilesFirst },
    // Only what hangs runs into it: a busy machine is no failure.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A test that asserts nothing passes whatever the product does.
    expect: { requireAssertions: true },
    // What no test loads is listed too.
    coverage: { include: ['src/**/*.ts'] },
    projects: [
      {
        extends: true,
        test: { name: 'apart', include: ['tests/**/*.test.ts'], exclude: [INSIDE] },
      },
      // To start a worker and load the libraries takes longer than most of these files.
      { extends: true, test: { name: 'together', include: [INSIDE], isolate: false } },
    ],
  },
});
