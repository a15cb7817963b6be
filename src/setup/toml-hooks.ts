import { parse } from 'smol-toml';
import { type Edit, SetupError } from './edit.ts';
import { HASH_COMMENT, markedSection } from './marked-section.ts';

/** The hooks for one event. */
interface Group {
  readonly matcher?: string;
  readonly hooks: readonly object[];
}

/**
 * Hooks in a TOML file: tables in a marked section at its end. TOML libraries would rewrite the whole file. This way every
 * other byte stays, and the library only checks that the file is valid before and after.
 */
export function tomlHooks(events: Readonly<Record<string, Group>>, owner: string): Edit {
  const tables = Object.entries(events).flatMap(([event, { hooks, ...group }]) => [
    `[[hooks.${event}]]`,
    ...pairs(group),
    ...hooks.flatMap((hook) => [`[[hooks.${event}.hooks]]`, ...pairs(hook)]),
  ]);
  const section = markedSection(tables.join('\n'), owner, HASH_COMMENT);
  return {
    shown: section.shown,
    add: (text) => {
      if (text !== undefined) parsed(text);
      const added = section.add(text);
      try {
        parse(added);
      } catch {
        throw new SetupError(
          'has hooks that cannot be added to; write them as [[hooks.Stop]] tables, or move them to hooks.json',
        );
      }
      return added;
    },
    remove: section.remove,
  };
}

/** Whether a TOML file has hooks. */
export function hasHooks(text: string): boolean {
  return 'hooks' in parsed(text);
}

function parsed(text: string): object {
  try {
    return parse(text);
  } catch (error) {
    const [reason = ''] = String(error instanceof Error ? error.message : error).split('\n');
    throw new SetupError(`is not TOML: ${reason}`);
  }
}

function pairs(table: object): string[] {
  return Object.entries(table).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
}
