// Imported by the library before all else: where the library cannot run, one line says so instead of a stack.
import { unsupportedRuntime } from './node-version.ts';

const unsupported = unsupportedRuntime(process.versions);
if (unsupported) {
  process.stderr.write(`todowrite: ${unsupported}\n`);
  process.exit(1);
}
