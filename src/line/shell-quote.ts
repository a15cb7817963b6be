import type parse from 'shell-quote/parse.js';

type Parse = typeof parse;

let loaded: Parse | undefined;

/** shell-quote's `parse`, loaded with the first word that needs it: most words are one piece. */
export function loadParse(): Parse {
  loaded ??= required();
  return loaded;
}

/** The build puts the code itself in place of this (scripts/build.js). */
function required(): Parse {
  const { createRequire } = process.getBuiltinModule('node:module');
  return createRequire(import.meta.url)('shell-quote/parse.js');
}
