import { existsSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { type CommandResult, done, failed } from '../command/agent-command.ts';
import { safeText } from '../safe-text.ts';
import { readSettings } from '../settings/settings.ts';
import { ListHome } from '../state/list-home.ts';
import { sessionOf } from '../state/list-paths.ts';
import { findProgram } from '../system/find-program.ts';
import { type Checked, checkInstall, type World } from './check-install.ts';
import { editConfigs, readConfig, removeEmptyFolders, targetOf } from './config-file.ts';
import { SetupError } from './edit.ts';
import {
  HARNESS_NAMES,
  HARNESSES,
  type Harness,
  type HarnessName,
  type Piece,
  type Place,
} from './harnesses.ts';
import helpPage from './setup.md';
import { parseSetupArguments, type SetupArguments } from './setup-arguments.ts';

const MAX_CHARACTERS = 500;

/**
 * `agent-shell setup`: teaches a harness about the list. Exit code 0; 1 if a file cannot be edited or `--check` finds
 * something missing; 2 for wrong usage.
 */
export function setup(argv: readonly string[], world: World): CommandResult {
  const asked = parseSetupArguments(argv);
  if ('problem' in asked) return wrongUsage(asked.problem);
  if ('help' in asked) return done(helpPage);
  const { harness, action } = asked;
  if (harness === undefined) {
    return action === 'check' ? checkAll(world) : done(whatIsHere(world));
  }
  const place = placeOf(asked, world);
  try {
    const pieces = HARNESSES[harness].pieces(place);
    if ('problem' in pieces) return wrongUsage(pieces.problem);
    switch (action) {
      case 'print':
        return done(pieces.map((piece) => shown(piece, place)).join('\n'));
      case 'check': {
        const checks = [checkInstall(world), checkPieces(HARNESSES[harness], pieces, place)];
        return checked(checks);
      }
      case 'add':
        return withNext(
          edited(pieces, place, asked, ({ edit }, text) => edit.add(text)),
          HARNESSES[harness],
          world,
        );
      case 'remove': {
        const result = edited(pieces, place, asked, ({ edit }, text) =>
          text === undefined ? undefined : edit.remove(text),
        );
        const { folders } = HARNESSES[harness];
        if (place.scope === 'project' && result.exitCode === 0) {
          removeEmptyFolders(folders.map((folder) => join(place.root, folder)));
        }
        return result;
      }
    }
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    return failed('refused', complaint(error.message));
  }
}

function placeOf({ scope, gate }: Pick<SetupArguments, 'scope' | 'gate'>, world: World): Place {
  const { environment, directory, home } = world;
  return { scope, gate, root: sessionOf(directory), home, environment, read: readConfig };
}

function edited(
  pieces: readonly Piece[],
  place: Place,
  { followLinks }: Pick<SetupArguments, 'followLinks'>,
  change: (piece: Piece, text: string | undefined) => string | undefined,
): CommandResult {
  const edits = pieces.map((piece) => ({
    path: piece.path,
    change: (text: string | undefined) => change(piece, text),
  }));
  const project = targetOf(place.root);
  const refusal = (target: string) =>
    place.scope === 'user' || followLinks || target.startsWith(`${project}${sep}`)
      ? undefined
      : `leads out of the project, to ${target}; --follow-links edits that`;
  try {
    const outcomes = editConfigs(edits, refusal);
    const lines = pieces.map(
      ({ path, what }, index) =>
        `${outcomes[index]?.padEnd(9)}  ${nameOf(path, place)}  (${what})\n`,
    );
    return done(lines.join(''));
  } catch (error) {
    if (!(error instanceof AggregateError)) throw error;
    const { errors, message: changed } = error;
    return failed('refused', errors.map(({ message }) => complaint(message, changed)).join(''));
  }
}

/** Printed only when something was written. */
function withNext(result: CommandResult, { next }: Harness, world: World): CommandResult {
  if (next === undefined || !result.stdout.includes('written ')) return result;
  const { folder } = new ListHome(
    world.environment,
    world.directory,
    readSettings(world.environment, undefined).settings,
  );
  return { ...result, stdout: `${result.stdout}\n${next(folder)}\n` };
}

function shown({ path, what, edit }: Piece, place: Place): string {
  return `# ${nameOf(path, place)}  (${what})\n${edit.shown}`;
}

function checkAll(world: World): CommandResult {
  const checks = [checkInstall(world)];
  for (const scope of ['project', 'user'] as const) {
    const place = placeOf({ scope, gate: false }, world);
    for (const name of HARNESS_NAMES) {
      const pieces = piecesOf(name, place);
      const isSetUp = pieces.some((piece) => stateOf(piece, place) !== 'missing');
      if (isSetUp) checks.push(checkPieces(HARNESSES[name], pieces, place));
    }
  }
  return checked(checks);
}

function piecesOf(name: HarnessName, place: Place): readonly Piece[] {
  try {
    const pieces = HARNESSES[name].pieces(place);
    return 'problem' in pieces ? [] : pieces;
  } catch (error) {
    if (error instanceof SetupError) return [];
    throw error;
  }
}

function checkPieces(
  { title }: Pick<Harness, 'title'>,
  pieces: readonly Piece[],
  place: Place,
): Checked {
  const states = pieces.map((piece) => stateOf(piece, place));
  return {
    lines: [
      `${title}, ${place.scope === 'project' ? 'this project' : 'all projects'}:`,
      ...pieces.map(
        ({ path, what }, index) =>
          `  ${states[index]?.padEnd(8)} ${nameOf(path, place)}  (${what})`,
      ),
    ],
    isGood: states.every((state) => state === 'ok'),
  };
}

type PieceState = 'ok' | 'missing' | 'outdated' | 'unreadable';

function stateOf({ path, edit }: Piece, place: Place): PieceState {
  try {
    const text = place.read(path);
    if (text === undefined) return 'missing';
    if (edit.add(text) === text) return 'ok';
    return edit.remove(text) === text ? 'missing' : 'outdated';
  } catch (error) {
    if (error instanceof SetupError) return 'unreadable';
    throw error;
  }
}

function checked(checks: readonly Checked[]): CommandResult {
  const isGood = checks.every((check) => check.isGood);
  const stdout = checks.map(({ lines }) => lines.map((line) => `${line}\n`).join('')).join('\n');
  return { stdout, stderr: '', exitCode: isGood ? 0 : 1 };
}

/** Lists the harnesses found here, and the commands that set them up. */
function whatIsHere(world: World): string {
  const place = placeOf({ scope: 'project', gate: false }, world);
  const here = HARNESS_NAMES.filter((name) => {
    const { program, signs, userFolder } = HARNESSES[name];
    const isInstalled = program !== undefined && findProgram(program, world.environment);
    const folder = userFolder?.(world);
    return (
      isInstalled ||
      signs.some((sign) => existsSync(join(place.root, sign))) ||
      (folder !== undefined && existsSync(folder))
    );
  });
  const named = here.length > 0 ? here : (['agents'] as const);
  const found =
    here.length > 0
      ? `Found here: ${here.map((name) => HARNESSES[name].title).join(', ')}.`
      : 'Found no coding agent here that has hooks; most read AGENTS.md.';
  const lines = named.map((name) => `  agent-shell setup ${name}`);
  return `${found} To set up this project, run:

${lines.join('\n')}

With --user for all your projects, --gate to ask an agent that stops early to finish, --print to see what would be
written, --check to see what is there, --remove to take it away.
`;
}

/** A path as a person would write it. */
function nameOf(path: string, { root, home, scope }: Place): string {
  const [base, prefix] = scope === 'project' ? [root, ''] : [home, `~${sep}`];
  const name = relative(base, path);
  return safeText(name.startsWith('..') ? path : `${prefix}${name}`, MAX_CHARACTERS);
}

function wrongUsage(problem: string): CommandResult {
  const message = `agent-shell: ${safeText(problem, MAX_CHARACTERS)}; see agent-shell setup --help\n`;
  return failed('wrongUsage', message);
}

function complaint(problem: string, changed = 'nothing was changed'): string {
  return `agent-shell: ${safeText(problem, MAX_CHARACTERS)}; ${changed}\n`;
}
