import { existsSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { type CommandResult, done, failed } from '../../base/command/agent-command.ts';
import { HELP_OPTIONS, parseOptions } from '../../base/command/options.ts';
import { inQuotes, safeText } from '../../base/safe-text.ts';
import { findProgram } from '../../base/system/access.ts';
import { makeFolders } from '../../base/system/files.ts';
import { ListHome } from '../../lists/list-home.ts';
import { workTreeOf } from '../../lists/list-paths.ts';
import { editConfigs, readConfig, removeEmptyFolders, targetOf } from './config-file.ts';
import { HARNESS_NAMES, HARNESSES, type Harness, type HarnessName } from './harnesses.ts';
import { type Inspection, inspectInstall, type SetupWorld } from './inspect-install.ts';
import { type Piece, piecesOf, type Target, userFolderOf } from './pieces.ts';
import helpPage from './setup.md';
import { SetupError } from './text-edits.ts';

const MAX_SETUP_ERROR = 500;
const SETUP_ACTIONS = ['--check', '--remove', '--print'] as const;
export const SETUP_OPTIONS = {
  '--check': 'flag',
  '--remove': 'flag',
  '--print': 'flag',
  '--project': 'flag',
  '--user': 'flag',
  '--gate': 'flag',
  '--no-permission': 'flag',
  '--follow-links': 'flag',
  ...HELP_OPTIONS,
} as const;

interface SetupAsked {
  /** Undefined lists the harnesses found here. */
  readonly name: HarnessName | undefined;
  readonly action: (typeof SETUP_ACTIONS)[number] | undefined;
  readonly scope: Target['scope'];
  readonly gate: boolean;
  readonly permission: Target['permission'];
  /** Also edits files outside of the project that links lead to. */
  readonly followLinks: boolean;
}

/**
 * `agent-shell setup`: teaches a harness about the list. Exit code 0; 1 if a file cannot be edited or `--check` finds
 * something missing; 2 for wrong usage.
 */
export function setup(argv: readonly string[], world: SetupWorld): CommandResult {
  const asked = readArguments(argv);
  if ('problem' in asked) return wrongSetupUsage(asked.problem);
  if ('help' in asked) return done(helpPage);
  const { name, action } = asked;
  if (name === undefined) return action === '--check' ? inspectAll(world) : done(whatIsHere(world));
  const harness: Harness = HARNESSES[name];
  const place = setupPlace(asked, world);
  try {
    const pieces = piecesOf(name, place);
    if (pieces.length === 0) {
      return wrongSetupUsage(
        `${name} is for projects only: each harness has its own file for --user`,
      );
    }
    if (asked.gate && !pieces.some(({ what }) => what === 'hooks')) {
      return wrongSetupUsage(
        harness.hooks
          ? `${harness.title} has hooks for all projects only: --gate needs --user`
          : `${harness.title} has no hook for its stop, so it cannot have a --gate`,
      );
    }
    switch (action) {
      case '--print':
        return done(
          pieces
            .filter(({ permission }) => permission !== 'all' || asked.permission)
            .map((piece) => shownPiece(piece, place))
            .join('\n'),
        );
      case '--check':
        return resultOfInspections([inspectInstall(world), inspectPieces(harness, pieces, place)]);
      default:
        return change(pieces, place, asked, nextSteps(harness, asked));
    }
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    return failed('refused', complaint(error.message));
  }
}

function readArguments(argv: readonly string[]): SetupAsked | { help: true } | { problem: string } {
  const parsed = parseOptions(argv, SETUP_OPTIONS);
  if ('problem' in parsed) return parsed;
  const { options, rest } = parsed;
  if (options['-h'] || options['--help']) return { help: true };
  const [word, unknown] = rest;
  const name = HARNESS_NAMES.find((known) => known === word);
  const names = HARNESS_NAMES.join(', ');
  const actions = SETUP_ACTIONS.filter((one) => options[one]);
  const [action] = actions;
  if (word !== undefined && name === undefined) {
    return {
      problem: `unknown agent ${inQuotes(word)}; choose ${names.replace(/, (\w+)$/, ' or $1')}`,
    };
  }
  if (unknown !== undefined) return { problem: `setup takes no argument ${unknown}` };
  if (actions.length > 1) return { problem: `${actions.join(' and ')} cannot be combined` };
  if (options['--project'] && options['--user']) {
    return { problem: '--project and --user cannot be combined' };
  }
  if (name === undefined && action !== undefined && action !== '--check') {
    return { problem: `setup ${action} needs a harness: ${names}` };
  }
  return {
    name,
    action,
    scope: options['--user'] ? 'user' : 'project',
    gate: options['--gate'] ?? false,
    permission: action === '--check' ? undefined : !options['--no-permission'],
    followLinks: options['--follow-links'] ?? false,
  };
}

function setupPlace(
  { scope, gate, permission }: Pick<SetupAsked, 'scope' | 'gate' | 'permission'>,
  { environment, directory, home }: SetupWorld,
): Target {
  const lists = () => new ListHome(environment, directory).folder;
  const root = workTreeOf(directory) ?? directory;
  return { scope, gate, permission, root, home, environment, lists, read: readConfig };
}

/** Prints the remaining steps only if something was written. */
function change(
  pieces: readonly Piece[],
  place: Target,
  asked: SetupAsked,
  next: string,
): CommandResult {
  const { scope, root, home } = place;
  const isRemoval = asked.action === '--remove';
  const isLeftOut = ({ permission }: Piece) => permission === 'all' && !asked.permission;
  const edits = pieces.map((piece) => ({
    path: piece.path,
    change: (text: string | undefined) => {
      if (!isRemoval && !isLeftOut(piece)) return piece.edit.add(text);
      return text === undefined ? undefined : piece.edit.remove(text);
    },
  }));
  const project = targetOf(root);
  const refusal = (target: string) =>
    scope === 'user' || asked.followLinks || target.startsWith(`${project}${sep}`)
      ? undefined
      : `leads out of the project, to ${target}; --follow-links edits that`;
  const outcomeOf = (outcome = 'unchanged') =>
    isRemoval && outcome === 'written' ? 'restored' : outcome;
  try {
    const outcomes = editConfigs(edits, refusal);
    const needsLists = pieces.some((piece) => piece.what === 'sandbox' && !isLeftOut(piece));
    if (isRemoval)
      removeFoldersOf(
        pieces.map(({ path }) => path),
        scope === 'project' ? root : home,
      );
    if (isRemoval && needsLists) removeFoldersOf([join(place.lists(), 'any')], home);
    if (!isRemoval && needsLists) makeFolders(place.lists());
    const lines = pieces.flatMap((piece, index) =>
      isLeftOut(piece) && outcomes[index] === 'unchanged'
        ? []
        : `${outcomeOf(outcomes[index]).padEnd(9)}  ${pieceTitle(piece, place)}\n`,
    );
    const isWritten = (_: unknown, index: number) => !isRemoval && outcomes[index] === 'written';
    const permits = pieces.filter(isWritten).some(({ permission }) => permission);
    const before = asked.permission && permits ? PERMISSION[scope] : '';
    return done(before + lines.join('') + (pieces.some(isWritten) ? next : ''));
  } catch (error) {
    if (!(error instanceof AggregateError)) throw error;
    const { errors, message: changed } = error;
    // Two additions to one file have the same problem.
    const complaints = new Set(errors.map(({ message }) => complaint(message, changed)));
    return failed('refused', [...complaints].join(''));
  }
}

function removeFoldersOf(paths: readonly string[], base: string): void {
  for (const path of paths) {
    for (let folder = dirname(path); folder.startsWith(`${base}${sep}`); folder = dirname(folder)) {
      removeEmptyFolders([folder]);
    }
  }
}

function nextSteps({ next, policy, title }: Harness, { scope, permission }: SetupAsked): string {
  if (next) return `\n${next}\n`;
  return policy && permission && scope === 'project'
    ? `\n${title} asks you about each command; it reads the permission to use the list from your own files only:
agent-shell setup gemini --user\n`
    : '';
}

const PERMISSION = {
  project: `Lines that only use the task list will run without a question, for everyone who clones this project and trusts its
settings. --no-permission leaves this out.\n\n`,
  user: `Lines that only use the task list will run without a question, in all your projects. --no-permission leaves this out.\n\n`,
};

function shownPiece(piece: Piece, place: Target): string {
  return `# ${pieceTitle(piece, place)}\n${piece.edit.shown}`;
}

function inspectAll(world: SetupWorld): CommandResult {
  const inspections = [inspectInstall(world)];
  for (const scope of ['project', 'user'] as const) {
    const place = setupPlace({ scope, gate: false, permission: undefined }, world);
    for (const name of HARNESS_NAMES) {
      const pieces = unlessUnreadable(() => piecesOf(name, place)) ?? [];
      const isSetUp = pieces.some((piece) => pieceState(piece, place) !== 'missing');
      if (isSetUp) inspections.push(inspectPieces(HARNESSES[name], pieces, place));
    }
  }
  return resultOfInspections(inspections);
}

function inspectPieces({ title }: Harness, pieces: readonly Piece[], place: Target): Inspection {
  const states = pieces.map((piece) => pieceState(piece, place));
  return {
    lines: [
      `${title}, ${place.scope === 'project' ? 'this project' : 'all projects'}:`,
      ...pieces.map((piece, index) => `  ${states[index]?.padEnd(8)} ${pieceTitle(piece, place)}`),
    ],
    isGood: states.every(
      (state, index) =>
        state === 'ok' || (state === 'missing' && pieces[index]?.permission === 'all'),
    ),
  };
}

type PieceState = 'ok' | 'missing' | 'outdated' | 'unreadable';

function pieceState({ path, edit }: Piece, place: Target): PieceState {
  const state = unlessUnreadable((): PieceState => {
    const text = place.read(path);
    if (text === undefined) return 'missing';
    if (edit.add(text) === text) return 'ok';
    return edit.remove(text) === text ? 'missing' : 'outdated';
  });
  return state ?? 'unreadable';
}

function unlessUnreadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof SetupError) return undefined;
    throw error;
  }
}

function resultOfInspections(inspections: readonly Inspection[]): CommandResult {
  const isGood = inspections.every((inspection) => inspection.isGood);
  const stdout = inspections
    .map(({ lines }) => lines.map((line) => `${line}\n`).join(''))
    .join('\n');
  return { stdout, stderr: '', exitCode: isGood ? 0 : 1 };
}

function whatIsHere(world: SetupWorld): string {
  const { root } = setupPlace({ scope: 'project', gate: false, permission: undefined }, world);
  const here = HARNESS_NAMES.filter((name) => {
    const harness: Harness = HARNESSES[name];
    const { program, folder, signs } = harness;
    const files = [...signs, ...(folder ? [folder] : [])].map((sign) => join(root, sign));
    const isInstalled = program !== undefined && findProgram(program, world.environment);
    return (
      isInstalled || [...files, userFolderOf(harness, world) ?? ''].some((one) => existsSync(one))
    );
  });
  const named = here.length > 0 ? here : (['agents'] as const);
  const found =
    here.length > 0
      ? `Found here: ${here.map((name) => HARNESSES[name].title).join(', ')}.`
      : 'Found no coding agent here that has hooks; most read AGENTS.md.';
  const lines = named.map((name) => `  agent-shell setup ${name}`);
  return inColumns(`${found} To set up this project, run:

${lines.join('\n')}

Lines that only use the task list then run without a question, for all who clone the project and trust its settings; --no-permission leaves that out. With --user for all your projects, --gate to ask an agent that stops early to finish, --print to see what would be written, --check to see what is set up, --remove to undo it.
`);
}

/** Text whose lines end at column 80. */
function inColumns(text: string): string {
  return text.replace(/(?=.{81})(.{1,80}) /g, '$1\n');
}

function pieceTitle({ path, what }: Piece, { root, home, scope }: Target): string {
  const [base, prefix] = scope === 'project' ? [root, ''] : [home, `~${sep}`];
  const name = relative(base, path);
  return `${safeText(name.startsWith('..') ? path : `${prefix}${name}`, MAX_SETUP_ERROR)}  (${what})`;
}

function wrongSetupUsage(problem: string): CommandResult {
  const message = `agent-shell: ${safeText(problem, MAX_SETUP_ERROR)}; see agent-shell setup --help\n`;
  return failed('wrongUsage', inColumns(message));
}

function complaint(problem: string, changed = 'nothing was changed'): string {
  return `agent-shell: ${safeText(problem, MAX_SETUP_ERROR)}; ${changed}\n`;
}
