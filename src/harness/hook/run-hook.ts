import type { Environment } from '../../base/environment.ts';
import { isObject } from '../../base/json/fields.ts';
import { withoutTags } from '../../base/safe-text.ts';
import { TodoHome } from '../../todo/todo-home.ts';
import { answerEvent } from './answer.ts';
import { DIALECTS, type Dialect, type DialectName, dialectOf, readEvent } from './dialects.ts';
import { hookLog, logFailure } from './hook-log.ts';
import { askRulesIn, usesOnlyList } from './own-line.ts';
import { parentSession } from './parent-session.ts';

/** One call of `agent-shell hook`. */
export interface HookCall {
  /** `--dialect NAME` unless the input tells, `--gate` for the finish gate. */
  readonly argv: readonly string[];
  /** The harness's event, as JSON. */
  readonly input: () => string;
  readonly environment: Environment;
  /** Undefined if it was deleted. */
  readonly directory: string | undefined;
  readonly now: () => Date;
  /** The folder of the agent commands of this installation. */
  readonly commands: string;
}

/** Events may include all output of a command. */
export const MAX_INPUT_BYTES = 32 * 1024 * 1024;

/** The mark at the beginning of a line or a note. */
const IN_PROGRESS = /^(\w+: )?\[>\]/gm;

/** The output of a call of the hook: JSON in the dialect of the harness, or nothing. Never throws: errors go to the log. */
export async function runHook(call: HookCall): Promise<string> {
  let event = '';
  try {
    const input = parseEvent(call.input());
    event = String(input.hook_event_name ?? '');
    return await reply(input, call);
  } catch (error) {
    const home = new TodoHome(call.environment, call.directory);
    logFailure(() => hookLog(home.folder), event, error, call.now());
    return '';
  }
}

async function reply(input: Record<string, unknown>, call: HookCall): Promise<string> {
  const name = dialectNamed(call.argv) ?? dialectOf(input);
  const dialect: Dialect = DIALECTS[name];
  const event = readEvent(input, dialect);
  const { sessionVariable, listAtPrompt = false, escapesMarks } = dialect;
  if (event.what.kind === 'permission') {
    return permissionReply(event.what.line, event, dialect, call);
  }
  const inSession = (id = '') =>
    sessionVariable === undefined || id === ''
      ? undefined
      : { ...call.environment, [sessionVariable]: id };
  const said = await answerEvent(event, {
    environment: inSession(event.session) ?? call.environment,
    parent: () => inSession(parentSession(input)),
    directory: event.directory || call.directory || '/',
    isResumed: input.source === 'resume' || input.source === 'compact',
    isGated: call.argv.includes('--gate'),
    listAtPrompt,
    now: call.now,
  });
  const context = escapesMarks
    ? said.context?.replace(IN_PROGRESS, '$1[in_progress]')
    : said.context;
  const toModel = said.refusal || context ? dialect.write(event, { ...said, context }) : undefined;
  const toPerson = said.progress ? dialect.show?.(said.progress) : undefined;
  if (toModel === undefined && toPerson === undefined) return '';
  // Harnesses put the text between tags.
  const text = JSON.stringify({ ...toModel, ...toPerson }, (_, value) =>
    typeof value === 'string' ? withoutTags(value) : value,
  );
  return `${text}\n`;
}

/** Allows a line that only uses the list; says nothing about any other. */
function permissionReply(
  line: string,
  { name, directory = '' }: ReturnType<typeof readEvent>,
  { permission }: Dialect,
  call: HookCall,
): string {
  const folders = permission?.folders?.(directory, call.environment) ?? [];
  const askRules = askRulesIn(folders.map((folder) => `${folder}/settings.json`));
  if (!usesOnlyList(line, { ...call, askRules })) return '';
  const output = { hookEventName: name, ...permission?.allowed };
  return `${JSON.stringify({ hookSpecificOutput: output })}\n`;
}

function dialectNamed(argv: readonly string[]): DialectName | undefined {
  if (!argv.includes('--dialect')) return undefined;
  const name = argv[argv.indexOf('--dialect') + 1] ?? '';
  if (!Object.hasOwn(DIALECTS, name)) throw new Error(`unknown dialect ${name}`);
  return name as DialectName;
}

function parseEvent(text: string): Record<string, unknown> {
  if (text.length > MAX_INPUT_BYTES) throw new Error('the input is larger than 32 MiB');
  const input: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
  if (!isObject(input)) throw new Error('the input is not a JSON object');
  return input;
}
