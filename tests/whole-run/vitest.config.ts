import { mergeConfig } from 'vitest/config';
import config from '../../vitest.config.ts';

// Runs that tests/whole-run.test.ts looks at from outside.
const { projects: _, ...test } = config.test ?? {};
export default mergeConfig(
  { ...config, test },
  { test: { include: ['tests/whole-run/*.run.ts'] } },
);
