// Loaded first by every executable and by the library. It must parse on any Node since 12.

const NEEDED = 'needs Node 20.19 or newer (22.12 or newer in the 22 line)';

/** Returns undefined if the package can run here. */
export function unsupportedRuntime(versions: NodeJS.ProcessVersions): string | undefined {
  for (const name of ['bun', 'deno']) {
    const version = versions[name];
    if (version) return `${NEEDED}, not ${name === 'bun' ? 'Bun' : 'Deno'} ${version}`;
  }
  const [major = 0, minor = 0] = versions.node.split('.').map(Number);
  const isSupported = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22;
  return isSupported ? undefined : `${NEEDED}, found ${versions.node}`;
}
