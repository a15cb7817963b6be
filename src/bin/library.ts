// The package's main file: the public surface, behind a look at what runs it.
import './supported-runtime.ts';

export * from '../index.ts';
