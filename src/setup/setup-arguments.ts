import { HELP_OPTIONS, parseOptions } from '../command/options.ts';
import { inQuotes } from '../safe-text.ts';
import { HARNESS_NAMES, type HarnessName } from './harnesses.ts';

/** What `agent-shell setup` was asked for. */
export interface SetupArguments {
  /** Undefined to list the harnesses found here. */
  readonly harness: HarnessName | undefined;
  readonly action: 'add' | 'check' | 'remove' | 'print';
  readonly scope: 'project' | 'user';
  readonly gate: boolean;
  /** Whether to edit files that links lead to outside of the project. */
  readonly followLinks: boolean;
}

const ACTIONS = ['--check', '--remove', '--print'] as const;
export const SETUP_OPTIONS = {
  '--check': 'flag',
  '--remove': 'flag',
  '--print': 'flag',
  '--project': 'flag',
  '--user': 'flag',
  '--gate': 'flag',
  '--follow-links': 'flag',
  ...HELP_OPTIONS,
} as const;

/** Parses the arguments after `setup`, or says what is wrong with them. */
export function parseSetupArguments(
  argv: readonly string[],
): SetupArguments | { help: true } | { problem: string } {
  const parsed = parseOptions(argv, SETUP_OPTIONS);
  if ('problem' in parsed) return parsed;
  const { options, rest } = parsed;
  if (options['-h'] || options['--help']) return { help: true };
  const [name, unknown] = rest;
  const harness = HARNESS_NAMES.find((known) => known === name);
  if (name !== undefined && harness === undefined) {
    return {
      problem: `unknown agent ${inQuotes(name)}; choose ${HARNESS_NAMES.join(', ').replace(/, (\w+)$/, ' or $1')}`,
    };
  }
  if (unknown !== undefined) return { problem: `setup takes no argument ${unknown}` };
  const actions = ACTIONS.filter((action) => options[action]);
  if (actions.length > 1) return { problem: `${actions.join(' and ')} exclude each other` };
  if (options['--project'] && options['--user']) {
    return { problem: '--project and --user exclude each other' };
  }
  const [action] = actions;
  if (harness === undefined && action !== undefined && action !== '--check') {
    return { problem: `setup ${action} needs a harness: ${HARNESS_NAMES.join(', ')}` };
  }
  return {
    harness,
    action: action === undefined ? 'add' : (action.slice(2) as 'check' | 'remove' | 'print'),
    scope: options['--user'] ? 'user' : 'project',
    gate: options['--gate'] ?? false,
    followLinks: options['--follow-links'] ?? false,
  };
}
