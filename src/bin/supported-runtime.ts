// The library imports this first, for one line of error instead of a stack trace.
import { unsupportedRuntime } from './node-version.ts';

const unsupported = unsupportedRuntime(process.versions);
if (unsupported) {
  process.stderr.write(`todowrite: ${unsupported}\n`);
  process.exit(1);
}
