// The package's main file: tests the runtime, then exports the public surface.
import './supported-runtime.ts';
import { connectToServers } from '../servers/server-storage.ts';

connectToServers();

export * from '../index.ts';
