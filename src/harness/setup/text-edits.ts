import { parse } from 'smol-toml';
import { orElse } from '../../base/system/files.ts';

/** A file cannot be edited; the message says which one, why, and what to do. */
export class SetupError extends Error {
  override readonly name = 'SetupError';
}

/** `remove(add(text))` is `text`, byte for byte; for a missing file, both are `undefined`. Both may throw a SetupError. */
export interface TextEdit {
  readonly shown: string;
  /** Returns the same text if the addition is already there. */
  add(text: string | undefined): string;
  remove(text: string): string | undefined;
}

/** The first one if they differ. */
export function endOfLine(text: string): '\n' | '\r\n' {
  return /\r\n|\n/.exec(text)?.[0] === '\r\n' ? '\r\n' : '\n';
}

/** A file that is entirely ours, as its first line says. */
export function wholeFile(content: string): TextEdit {
  const firstLine = content.slice(0, content.indexOf('\n'));
  const isOurs = (text: string) => text.startsWith(firstLine);
  return {
    shown: content,
    add: (text) => {
      if (text !== undefined && !isOurs(text)) {
        throw new SetupError('already exists, and was not written by agent-shell setup');
      }
      return content;
    },
    remove: (text) => (isOurs(text) ? undefined : text),
  };
}

/** Increase it when the section's meaning changes. */
const SECTION_VERSION = 'v1';

/** The comments around a section; the first one names the harnesses that use it. */
function commentsOf(open: string, close: string, name: string) {
  return {
    begin: (owners: readonly string[]) =>
      `${open}BEGIN ${name} ${SECTION_VERSION}: ${owners.join(', ')}${close}`,
    beginLine: new RegExp(`^${open}BEGIN ${name} [^\\r\\n:]*: ([\\w, -]*?)${close}\\r?$`, 'gm'),
    end: `${open}END ${name}${close}`,
  };
}

type SectionComments = ReturnType<typeof commentsOf>;
const IN_MARKDOWN = commentsOf('<!-- ', ' -->', 'todowrite');
const IN_TOML = commentsOf('# ', '', 'todowrite');
/** Beside hooks in the same file. */
const ROOTS_IN_TOML = commentsOf('# ', '', 'lists of todowrite');

/**
 * A section between two comments at the end of a file. Harnesses may share it; the last one to leave removes it.
 *
 * A blank line comes before it and a newline after it, unless the file did not end with one; then there is still none. So
 * `remove` can restore the text.
 */
export function markedSection(
  body: string | ((owners: readonly string[]) => string),
  owner: string,
  comments = IN_MARKDOWN,
): TextEdit {
  const section = (owners: readonly string[], eol: string) => {
    const text = typeof body === 'string' ? body : body(owners);
    return [comments.begin(owners), ...text.trimEnd().split('\n'), comments.end].join(eol);
  };
  const shown = `${section([owner], '\n')}\n`;
  return {
    shown,
    add: (text) => {
      if (text === undefined) return shown;
      const found = findSection(text, comments);
      if (found) {
        const owners = [...new Set([...found.owners, owner])].sort();
        return found.before + section(owners, found.eol) + found.after;
      }
      const eol = endOfLine(text);
      if (text === '') return section([owner], eol);
      const isEnded = text.endsWith(eol);
      return text + eol + (isEnded ? '' : eol) + section([owner], eol) + (isEnded ? eol : '');
    },
    remove: (text) => {
      const found = findSection(text, comments);
      if (found === undefined || !found.owners.includes(owner)) return text;
      const { before, after, eol } = found;
      const others = found.owners.filter((name) => name !== owner);
      if (others.length > 0) return before + section(others, eol) + after;
      const rest = after.startsWith(eol) ? after.slice(eol.length) : after;
      if (before === '') return after === eol ? undefined : rest;
      // Someone may have deleted the blank line.
      const isApart = before.endsWith(eol + eol);
      return before.slice(0, isApart ? -eol.length * (after === '' ? 2 : 1) : undefined) + rest;
    },
  };
}

function findSection(text: string, { beginLine, end }: SectionComments) {
  const begins = [...text.matchAll(beginLine)];
  const [first] = begins;
  const ends = text.split(end).length - 1;
  if (first === undefined && ends === 0) return undefined;
  const at = text.indexOf(end, first?.index);
  if (first === undefined || begins.length !== 1 || ends !== 1 || at < 0) {
    throw new SetupError(
      'has todowrite comments that do not pair: one BEGIN, then one END; delete them by hand',
    );
  }
  const before = text.slice(0, first.index);
  const after = text.slice(at + end.length);
  const eol = endOfLine(text.slice(first.index, at));
  return { before, after, eol, owners: (first[1] ?? '').split(', ').filter(Boolean) };
}

const NO_HOOKS = /^hooks = \[\]$/m;
const NO_HOOKS_KEPT = '# todowrite: hooks = []';
const OWN_TABLE =
  /^\[\[hooks\]\]\r?\n(?:\w+ = .*\r?\n)*?command = "agent-shell hook[ "].*\r?\n(?:\w+ = .*\r?\n)*\n?/gm;

/**
 * Hooks in a TOML file, as tables in a marked section at its end, since TOML libraries would rewrite the whole file. The
 * library only verifies that the file is valid.
 *
 * Kimi Code takes the settings of Kimi CLI over without comments: then our tables are recognized by their command. There may
 * be `hooks = []`, too, to which no table can be added.
 */
export function tomlHooks(
  events: readonly [event: string, entry: object][],
  owner: string,
): TextEdit {
  const tables = events.flatMap(([event, { hooks, ...entry }]: [string, { hooks?: object[] }]) =>
    hooks === undefined
      ? [tomlTable('hooks', { event, ...entry })]
      : [
          tomlTable(`hooks.${event}`, entry),
          ...hooks.map((one) => tomlTable(`hooks.${event}.hooks`, one)),
        ],
  );
  const section = markedSection(tables.join(''), owner, IN_TOML);
  const remove = (text: string) => {
    const rest = section.remove(text);
    if (rest === text) return text.replace(OWN_TABLE, '');
    return rest?.replace(NO_HOOKS_KEPT, 'hooks = []');
  };
  return {
    shown: section.shown,
    add: (text) => {
      if (text === undefined) return section.add(text);
      parsedToml(text);
      if (tables.every((table) => text.includes(table))) return text;
      const bare = text.includes('# BEGIN todowrite') ? text : text.replace(OWN_TABLE, '');
      const [top = ''] = bare.split(/^\[/m, 1);
      const added = section.add(top.replace(NO_HOOKS, NO_HOOKS_KEPT) + bare.slice(top.length));
      try {
        parse(added);
      } catch {
        const [header = ''] = (tables.at(-1) ?? '').replace('.hooks]', ']').split('\n');
        throw new SetupError(`has hooks that cannot be added to; write them as ${header} tables`);
      }
      return added;
    },
    remove,
  };
}

/** A folder that Codex's sandbox lets commands write in. @param path as in TOML, perhaps with `~`. */
export function writableRoot(path: string, owner: string): TextEdit {
  const roots = `writable_roots = [${JSON.stringify(path)}]`;
  const table = markedSection(`[sandbox_workspace_write]\n${roots}`, owner, ROOTS_IN_TOML);
  const inTable = markedSection(roots, owner, ROOTS_IN_TOML);
  return {
    ...table,
    add: (text) => {
      if (text === undefined) return table.add(text);
      if (writableRootsIn(text)?.includes(path)) return text;
      const rest = table.remove(text) ?? '';
      if (!/^\s*\[?sandbox_workspace_write\b/m.test(rest)) return table.add(rest);
      const header = /^\[sandbox_workspace_write\][ \t]*(?:#.*)?(\r?\n)/m.exec(rest);
      if (header === null || writableRootsIn(rest) !== undefined) {
        throw new SetupError(`has a sandbox_workspace_write of its own: add ${roots} there`);
      }
      const at = header.index + header[0].length;
      const section = inTable.shown.replaceAll('\n', header[1] ?? '\n');
      return rest.slice(0, at) + section + rest.slice(at);
    },
  };
}

/** The folders that a configuration of Codex names; undefined for none. */
export function writableRootsIn(text: string): readonly unknown[] | undefined {
  const { sandbox_workspace_write: table } = parsedToml(text) as {
    sandbox_workspace_write?: { writable_roots?: unknown[] };
  };
  return table?.writable_roots;
}

/** The files that a configuration of Codex names in place of a missing AGENTS.md. */
export function fallbackInstructionsIn(text: string): readonly string[] {
  const { project_doc_fallback_filenames: names } = orElse(() => parse(text), {});
  return Array.isArray(names) ? names.map(String) : [];
}

/** A text that is not TOML counts as well: its edit reports the error. */
export function hasHooks(text: string): boolean {
  return orElse(() => 'hooks' in parse(text), true);
}

function parsedToml(text: string): object {
  try {
    return parse(text);
  } catch (error) {
    throw new SetupError(`is not TOML: ${(error as Error).message.split('\n')[0]}`);
  }
}

function tomlTable(name: string, values: object): string {
  const pairs = Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`);
  return `[[${name}]]\n${pairs.join('')}`;
}
