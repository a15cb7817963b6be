import { existsSync, rmdirSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { type CommandResult, done, failed } from '../../base/command/agent-command.ts';
import { HELP_OPTIONS, parseOptions } from '../../base/command/options.ts';
import { inColumns, seeHelp } from '../../base/command/replies.ts';
import { inQuotes, safeText } from '../../base/safe-text.ts';
import { findProgram } from '../../base/system/access.ts';
import { makeFolders, orElse } from '../../base/system/files.ts';
import { editConfigs, type Outcome, resolveLinks } from './config-file.ts';
import { HARNESS_NAMES, HARNESSES, type Harness, type HarnessName } from './harnesses.ts';
import { inspect, lastingEnvironment, pieceRow } from './inspect-install.ts';
import {
  MAX_SETUP_ERROR,
  type Piece,
  piecesOf,
  pieceTitle,
  type SetupChoices,
  type SetupWorld,
  type Target,
  targetOf,
  userFolderOf,
} from './pieces.ts';
import helpPage from './setup.md';
import { SetupError } from './text-edits.ts';

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

interface SetupAsked extends SetupChoices {
  /** Undefined lists the harnesses found here. */
  readonly name: HarnessName | undefined;
  readonly action: (typeof SETUP_ACTIONS)[number] | undefined;
  /** Also edits files outside of the project that links lead to. */
  readonly followLinks: boolean;
}

/**
 * `agent-shell setup`: teaches a harness about the list. Exit code 0; 1 if a file cannot be edited or `--check` finds
 * something missing; 2 for wrong usage.
 *
 * @param say prints at once, before files are changed.
 */
export function setup(
  argv: readonly string[],
  world: SetupWorld,
  say: (text: string) => void,
): CommandResult {
  const asked = readArguments(argv);
  if ('problem' in asked) return wrongSetupUsage(asked.problem);
  if ('help' in asked) return done(helpPage);
  const { name, action, permission, gate } = asked;
  const target = targetOf(asked, world);
  if (name === undefined) return action ? inspect(name, target) : done(whatIsHere(target));
  const { title, hooks }: Harness = HARNESSES[name];
  try {
    const pieces = piecesOf(name, target);
    if (pieces.length === 0) {
      return wrongSetupUsage(
        `${name} is for projects only: each harness has its own file for --user`,
      );
    }
    if (gate && !pieces.some(({ what }) => what === 'hooks')) {
      return wrongSetupUsage(
        hooks
          ? `${title} has hooks for all projects only: --gate needs --user`
          : `${title} has no hook for its stop, so it cannot have a --gate`,
      );
    }
    if (action === '--check') return inspect(name, target);
    if (action !== '--print') return done(change({ name, pieces, target, asked, say }));
    const shown = pieces.filter((piece) => piece.permission !== 'all' || permission);
    return done(
      shown.map((piece) => `# ${pieceTitle(piece, target)}\n${piece.edit.shown}`).join('\n'),
    );
  } catch (error) {
    if (error instanceof AggregateError) return refusedSetup(error.errors, error.message);
    if (error instanceof SetupError) return refusedSetup([error], 'nothing was changed');
    throw error;
  }
}

function refusedSetup(errors: readonly Error[], changed: string): CommandResult {
  // Two additions to one file have the same problem.
  const problems = new Set(errors.map(({ message }) => safeText(message, MAX_SETUP_ERROR)));
  const lines = [...problems].map((problem) => `agent-shell: ${problem}; ${changed}\n`);
  return failed('refused', lines.join(''));
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

interface PieceChange {
  readonly name: HarnessName;
  readonly pieces: readonly Piece[];
  readonly target: Target;
  readonly asked: SetupAsked;
  readonly say: (text: string) => void;
}

/** @returns a line for each file, and the remaining steps only if something was written. */
function change({ name, pieces, target, asked, say }: PieceChange): string {
  const { action, scope, permission, followLinks } = asked;
  const isRemoval = action === '--remove';
  const isLeftOut = (piece: Piece) => piece.permission === 'all' && !permission;
  const isTakenBack = (piece: Piece) => isRemoval || isLeftOut(piece);
  const edits = pieces.map((piece) => ({
    path: piece.path,
    change: (text: string | undefined) => {
      if (!isTakenBack(piece)) return piece.edit.add(text);
      return text === undefined ? text : piece.edit.remove(text);
    },
  }));
  const project = resolveLinks(target.root);
  const refusal = (file: string) =>
    scope === 'user' || followLinks || file.startsWith(`${project}${sep}`)
      ? undefined
      : `leads out of the project, to ${file}; --follow-links edits that`;
  const writes = (outcomes: readonly Outcome[]) =>
    pieces.filter((_, index) => !isRemoval && outcomes[index] === 'written');
  const outcomes = editConfigs(edits, refusal, (expected) => {
    if (permission && writes(expected).some((piece) => piece.permission))
      say(inColumns(PERMISSION[scope]));
  });
  for (const [index, piece] of pieces.entries()) {
    if (!isTakenBack(piece)) {
      if (piece.opens) makeFolders(piece.opens);
    } else if (outcomes[index] !== 'unchanged') {
      // Where nothing of ours was, an empty folder is the user's.
      removeEmptyFolders(piece, target);
    }
  }
  const lines = pieces.flatMap((piece, index) => {
    const outcome = outcomes[index] ?? 'unchanged';
    if (isLeftOut(piece) && outcome === 'unchanged') return [];
    const shown = isRemoval && outcome === 'written' ? 'restored' : outcome;
    return `${shown.padEnd(9)}  ${pieceTitle(piece, target)}\n`;
  });
  if (writes(outcomes).length === 0) return lines.join('');
  const rest = ignoredOfUser(name, target) + notFound(target) + nextSteps(name, asked);
  return lines.join('') + rest;
}

function notFound({ environment }: Target): string {
  const isFound = findProgram('agent-shell', lastingEnvironment(environment)) !== undefined;
  return isFound ? '' : 'missing    agent-shell is not on PATH; to install it: docs/install.md\n';
}

/** Files of the user that the harness ignores, as `--check` names them: a status line there would not show. */
function ignoredOfUser(name: HarnessName, target: Target): string {
  const own: Target = { ...target, scope: 'user' };
  const rows = orElse(() => piecesOf(name, own).map((piece) => pieceRow(piece, own)), []);
  return rows
    .map(({ state, text }) => (state === 'unreadable' ? `${state} ${text}\n` : ''))
    .join('');
}

function removeEmptyFolders({ path, opens }: Piece, { scope, root, home }: Target): void {
  removeFoldersOf(path, scope === 'project' ? root : home);
  if (opens) removeFoldersOf(join(opens, 'any'), home);
}

function removeFoldersOf(path: string, base: string): void {
  for (let folder = dirname(path); folder.startsWith(`${base}${sep}`); folder = dirname(folder)) {
    // Fails if it is not empty, or not there.
    orElse(() => rmdirSync(folder), undefined);
  }
}

function nextSteps(name: HarnessName, { scope, permission }: SetupAsked): string {
  const { next, policy, hooks, title }: Harness = HARNESSES[name];
  if (next) return `\n${next}\n`;
  const missing = hooks?.isOfUserOnly
    ? 'reads hooks'
    : policy &&
      permission &&
      'asks you about each command; it reads the permission to use the list';
  return missing && scope === 'project'
    ? inColumns(
        `\n${title} ${missing} from your own files only:\n  agent-shell setup ${name} --user\n`,
      )
    : '';
}

const PERMISSION = {
  project: `Lines that only use the task list will run without a question, for everyone who clones this project and trusts its settings. --no-permission leaves this out.\n\n`,
  user: `Lines that only use the task list will run without a question, in all your projects. --no-permission leaves this out.\n\n`,
};

function whatIsHere(target: Target): string {
  const { root, environment } = target;
  const here = HARNESS_NAMES.filter((name) => {
    const harness: Harness = HARNESSES[name];
    const { program, folder, signs } = harness;
    const files = [...signs, ...(folder ? [folder] : [])].map((sign) => join(root, sign));
    const isInstalled = program !== undefined && findProgram(program, environment);
    return (
      isInstalled || [...files, userFolderOf(harness, target) ?? ''].some((one) => existsSync(one))
    );
  });
  const named = here.length > 0 ? here : (['agents'] as const);
  const found =
    here.length > 0
      ? `Found here: ${here.map((name) => HARNESSES[name].title).join(', ')}.`
      : 'Found no coding agent here that has hooks; most read AGENTS.md.';
  const lines = named.map((name) => `  agent-shell setup ${name}`);
  const canAny = (can: (harness: Harness) => unknown) => named.some((name) => can(HARNESSES[name]));
  const more = [
    canAny(({ hooks, sandbox }) => hooks?.permission ?? sandbox) &&
      'Lines that only use the task list then run without a question, for all who clone the project and trust its settings; --no-permission leaves that out.',
    canAny(({ userFolder }) => userFolder) && '--user does it for all your projects.',
    canAny(({ hooks }) => hooks) && '--gate asks an agent that stops early to finish.',
    '--print shows what would be written, --check what is set up; --remove undoes it.',
  ];
  return inColumns(`${found} To set up this project, run:

${lines.join('\n')}

${more.filter(Boolean).join(' ')}
`);
}

function wrongSetupUsage(problem: string): CommandResult {
  const said = seeHelp(safeText(problem, MAX_SETUP_ERROR), 'agent-shell setup --help');
  return failed('wrongUsage', said);
}
