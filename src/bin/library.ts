// The package's main file: checks the runtime, then exports the public surface.
import './supported-runtime.ts';
import { useServers } from '../lists/lists.ts';
import { ServerLists } from '../servers/server-lists.ts';

useServers((options) => new ServerLists(options));

export * from '../index.ts';
