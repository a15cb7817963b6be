// The package's main file: checks the runtime, then exports the public surface.
import './supported-runtime.ts';

export * from '../index.ts';
