// The library imports this first: if it cannot run here, one line says so instead of a stack trace.
import { unsupportedRuntime } from './node-version.ts';

const unsupported = unsupportedRuntime(process.versions);
if (unsupported) {
  process.stderr.write(`todowrite: ${unsupported}\n`);
  process.exit(1);
}
