import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

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
    include: ['tests/**/*.test.ts'],
    globalSetup: 'tests/helpers/build.ts',
    // Most tests wait for other processes, so that one worker a core is not too many.
    maxWorkers: 2,
    // Only what hangs runs into it: a busy machine is no failure.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A test that asserts nothing passes whatever the product does.
    expect: { requireAssertions: true },
  },
});
