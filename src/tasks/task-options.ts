import { parseArgs } from 'node:util';
import { safeText } from '../safe-text.ts';
import type { OptionKind, TaskForm } from './task-form.ts';

/** What the options of a call say. */
export interface ReadOptions {
  /** By the names that they have in JSON. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly positionals: readonly string[];
  readonly flags: ReadonlySet<string>;
  readonly list?: string;
  readonly agent?: string;
}

const MAX_MESSAGE_CHARACTERS = 300;

/** Reads the arguments of a call, or says what is wrong with them. */
export function readOptions<Request>(
  { fields, flags = [] }: Pick<TaskForm<Request>, 'fields' | 'flags'>,
  argv: readonly string[],
): ReadOptions | { problem: string } {
  const kinds: Record<string, OptionKind> = { ...fields, list: 'text', agent: 'text' };
  for (const flag of flags) kinds[flag] = 'flag';
  const parsed = parse(kinds, argv);
  if ('problem' in parsed) return parsed;
  const read: Record<string, unknown> = {};
  const given = new Set<string>();
  const common: { list?: string; agent?: string } = {};
  for (const [name, values] of Object.entries(parsed.values)) {
    const kind = kinds[name];
    if (kind !== 'texts' && values.length > 1) return { problem: `--${name} was given twice` };
    if (name === 'list' || name === 'agent') common[name] = String(values[0]);
    else if (flags.includes(name)) given.add(name);
    else read[fieldOf(name)] = kind === 'texts' ? values : values[0];
  }
  return { fields: read, flags: given, positionals: parsed.positionals, ...common };
}

/** The field that an option stands for: `add-blocked-by` is `addBlockedBy`. */
export function fieldOf(option: string): string {
  return option.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Every option may be repeated here: parseArgs itself would pass over all but the last. */
function parse(
  kinds: Readonly<Record<string, OptionKind>>,
  argv: readonly string[],
): { values: Record<string, (string | boolean)[]>; positionals: string[] } | { problem: string } {
  const options = Object.fromEntries(
    Object.entries(kinds).map(([name, kind]) => [
      name,
      { type: kind === 'flag' ? ('boolean' as const) : ('string' as const), multiple: true },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true });
    return { values: { ...values } as Record<string, (string | boolean)[]>, positionals };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { problem: safeText(message, MAX_MESSAGE_CHARACTERS) };
  }
}
