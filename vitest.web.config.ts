import { mergeConfig } from 'vitest/config';
import config from './vitest.config.ts';

// `npm run test:web`: the tests that need a browser.
const { projects: _, ...test } = config.test ?? {};
export default mergeConfig(
  { ...config, test },
  { test: { include: ['tests/viewer/page/*.browser.ts'] } },
);
