import { existsSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { parse } from 'jsonc-parser';
import type { Environment } from '../../base/environment.ts';
import { safeText } from '../../base/safe-text.ts';
import { orElse } from '../../base/system/files.ts';
import { ListHome } from '../../lists/list-home.ts';
import { workTreeOf } from '../../lists/list-paths.ts';
import { readConfig } from './config-file.ts';
import { HARNESSES, type Harness, type HarnessName, type Hooks } from './harnesses.ts';
import instructions from './instructions.md';
import { jsonHooks } from './json-hooks.ts';
import {
  fallbackInstructionsIn,
  hasHooks,
  markedSection,
  SetupError,
  type TextEdit,
  tomlHooks,
  wholeFile,
  writableRoot,
  writableRootsIn,
} from './text-edits.ts';

export interface SetupWorld {
  readonly environment: Environment;
  readonly directory: string;
  readonly home: string;
  /** The path by which this program was started. */
  readonly started: string;
}

export interface SetupChoices {
  readonly scope: 'project' | 'user';
  readonly gate: boolean;
  /** Lines of agent commands run without a question; undefined: as it is. */
  readonly permission: boolean | undefined;
}

/** The project, or all projects of the user. */
export interface Target extends SetupWorld, SetupChoices {
  /** The work tree. */
  readonly root: string;
  /** Returns the folder of all lists. */
  readonly lists: () => string;
  /** Returns undefined if there is no file. */
  readonly read: (path: string) => string | undefined;
}

export function targetOf({ scope, gate, permission }: SetupChoices, world: SetupWorld): Target {
  const { environment, directory } = world;
  const lists = () => new ListHome(environment, directory).folder;
  const root = workTreeOf(directory) ?? directory;
  return { ...world, scope, gate, permission, lists, root, read: readConfig };
}

export interface Piece {
  readonly path: string;
  readonly what: 'instructions' | 'hooks' | 'plugin' | 'policy' | 'sandbox';
  readonly edit: TextEdit;
  /** The piece permits lines to run without a question: `part` does more than that, `all` only that. */
  readonly permission?: 'part' | 'all';
  /** The folder that it lets a sandbox write in, which must exist. */
  readonly opens?: string | undefined;
}

export const MAX_SETUP_ERROR = 500;

export function pieceTitle({ path, what }: Piece, { root, home, scope }: Target): string {
  const [base, prefix] = scope === 'project' ? [root, ''] : [home, `~${sep}`];
  const name = relative(base, path);
  return `${safeText(name.startsWith('..') ? path : `${prefix}${name}`, MAX_SETUP_ERROR)}  (${what})`;
}

/** Gemini CLI refuses backticks and `$(` in a heredoc, even once its user allows the line. */
function instructionsFor(owners: readonly string[]): string {
  return owners.includes('gemini')
    ? instructions.replace(/<<'EOF'\n\s*([\s\S]*?)\n\s*EOF\n/, "'$1'\n")
    : instructions;
}

export function userFolderOf(
  { userFolder }: Harness,
  { environment, home }: SetupWorld,
): string | undefined {
  if (userFolder === undefined) return undefined;
  const { variable = '', path } = userFolder;
  const [, inConfig] = /^\.config\/(.*)/.exec(path) ?? [];
  const configured = environment.XDG_CONFIG_HOME && inConfig;
  return (
    environment[variable] ||
    (configured ? join(environment.XDG_CONFIG_HOME ?? '', configured) : join(home, path))
  );
}

/** The files to edit for a harness, in the order of the output. */
export function piecesOf(name: HarnessName, target: Target): readonly Piece[] {
  const harness: Harness = HARNESSES[name];
  const { plugin, hooks, folder: ofProject = '' } = harness;
  const isProject = target.scope === 'project';
  const folder = isProject ? join(target.root, ofProject) : userFolderOf(harness, target);
  const pieces: Piece[] = [];
  if (folder !== undefined && plugin) {
    const { path, content } = plugin;
    pieces.push({ path: join(folder, path), what: 'plugin', edit: wholeFile(content) });
  }
  if (folder !== undefined && hooks && !(isProject && hooks.isOfUserOnly)) {
    pieces.push(hooksPiece(hooks, name, folder, target));
  }
  if (folder !== undefined) pieces.push(...permissionPieces(harness, name, folder, target));
  const edit = markedSection(instructionsFor, name);
  const [read, ...others] = instructionsPaths(harness, name, folder, target);
  if (read !== undefined) pieces.push({ path: read, what: 'instructions', edit });
  // It read these at setup time, or does so for others.
  const kept = { ...edit, add: (text = '') => text };
  return [...pieces, ...others.map((path): Piece => ({ path, what: 'instructions', edit: kept }))];
}

/** The file that the harness reads its instructions from, and others that have our section for it. */
function instructionsPaths(
  harness: Harness,
  name: HarnessName,
  folder: string | undefined,
  target: Target,
): readonly string[] {
  const { [target.scope]: file, override, fallback } = harness.instructions;
  const isProject = target.scope === 'project';
  const base = isProject ? target.root : folder;
  if (file === undefined || base === undefined) return [];
  const { hooks, namesInstructions, sandbox } = harness;
  // Settings of the project override those of the user.
  const settings = (of = '') =>
    [folder, userFolderOf(harness, target)].map((one) => target.read(join(one ?? '', of)) ?? '');
  const names = namesInstructions
    ? settings(hooks?.file).flatMap((text) => parse(text)?.context?.fileName ?? [])
    : [];
  const fallbacks = sandbox && isProject ? settings(sandbox).flatMap(fallbackInstructionsIn) : [];
  const at = (one: string) =>
    one.startsWith('~/') ? join(target.home, one.slice(2)) : join(base, one);
  const isName = (one: unknown) => typeof one === 'string' && /^[^/]+$/.test(one);
  const named = names.filter(isName).map(at);
  // Of the user's files, Codex skips an empty one.
  const isSkipped = override && !isProject && !target.read(at(override))?.trim();
  const first = isSkipped ? undefined : override;
  const possible = [first, file, fallback?.[target.scope], ...fallbacks.filter(isName)]
    .filter((one) => one !== undefined)
    .map(at);
  const read = named[0] ?? possible.find((path) => existsSync(path)) ?? at(file);
  const own = new RegExp(`BEGIN todowrite [^:]*: [^>]*\\b${name}\\b`);
  const others = [...named, ...possible, at('AGENTS.md')].filter(
    (path) => path !== read && own.test(orElse(() => target.read(path), '') ?? ''),
  );
  return [read, ...new Set(others)];
}

function permissionPieces(
  harness: Harness,
  name: HarnessName,
  folder: string,
  target: Target,
): Piece[] {
  const { policy, sandbox } = harness;
  const permission = 'all';
  if (policy && target.scope === 'user') {
    const path = join(folder, policy.path);
    return [{ path, what: 'policy', edit: wholeFile(policy.content), permission }];
  }
  if (sandbox === undefined) return [];
  const { home, root: tree } = target;
  const lists = target.lists();
  const path = join(folder, sandbox);
  const root = lists.startsWith(`${home}/`) ? `~${lists.slice(home.length)}` : lists;
  const ofUser = target.read(join(userFolderOf(harness, target) ?? '', sandbox)) ?? '';
  const roots = target.scope === 'project' ? writableRootsIn(ofUser) : undefined;
  const edit = writableRoot(root, name);
  const isNeeded =
    !`${lists}/`.startsWith(`${tree}/`) && !roots?.includes(root) && !roots?.includes(lists);
  const before = target.read(path) ?? '';
  // It may have been needed at setup time.
  if (!isNeeded && edit.remove(before) === before) return [];
  const add = (text: string | undefined) => {
    if (!isNeeded) return text ?? '';
    if (roots === undefined) return edit.add(text);
    throw new SetupError(
      `would replace your own writable_roots: add ${JSON.stringify(root)} to them, in your ${sandbox}`,
    );
  };
  const opens = isNeeded ? lists : undefined;
  return [{ path, what: 'sandbox', edit: { ...edit, add }, permission, opens }];
}

/** Never change this: Codex trusts a hook by the hash of its command. */
const HOOK_COMMAND = 'agent-shell hook';
const GATED = /"agent-shell hook [^"]*--gate"/;

function hooksPiece(hooks: Hooks, name: HarnessName, folder: string, target: Target): Piece {
  const { file, otherFile, form, ...more } = hooks;
  const path = join(folder, file);
  const other = join(folder, otherFile ?? '');
  const isInOther =
    otherFile !== undefined &&
    !target.read(path)?.includes(HOOK_COMMAND) &&
    hasHooks(target.read(other) ?? '');
  const edit = (isGated: boolean, permits: boolean) => {
    const entries = hookEntries(hooks, isGated, permits);
    return form === 'tables' || isInOther
      ? tomlHooks(entries, name)
      : jsonHooks({ ...more, events: Object.fromEntries(entries) });
  };
  const permitted = (text: string) =>
    Object.keys(hooks.permission ?? {}).some((event) =>
      JSON.stringify(parse(text)?.hooks?.[event] ?? '').includes(`"${HOOK_COMMAND}`),
    );
  const plain = edit(target.gate, target.permission === true);
  const add = (text: string | undefined) => {
    const isPermitted = permitted(text ?? '');
    // Running setup again without --gate keeps the gate.
    const wanted = edit(target.gate || GATED.test(text ?? ''), target.permission ?? isPermitted);
    const isTakenBack = target.permission === false && isPermitted;
    return wanted.add(text && isTakenBack ? plain.remove(text) : text);
  };
  const permission = hooks.permission && 'part';
  return { path: isInOther ? other : path, what: 'hooks', edit: { ...plain, add }, permission };
}

function hookEntries(
  { events, permission, form, handler, stop }: Hooks,
  isGated: boolean,
  isPermitted: boolean,
): [event: string, entry: object][] {
  return Object.entries({ ...events, ...(isPermitted && permission) }).map(([event, more]) => {
    const command = event === stop && isGated ? `${HOOK_COMMAND} --gate` : HOOK_COMMAND;
    const group = { ...more, hooks: [{ type: 'command', command, ...handler }] };
    return [event, form === 'groups' ? group : { command, ...more, ...handler }];
  });
}
