import {
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { type Edit, endOfLine, SetupError } from './edit.ts';

/** What to add to the hooks in a JSON file: one entry for each event. */
export interface JsonHooks {
  readonly events: Readonly<Record<string, object>>;
  /** The `version` property, if the file needs one. */
  readonly version?: number;
}

/** Matches our command, in any version. */
const OURS = /^agent-shell hook(?: |$)/;
const PARSING = { allowTrailingComma: true, allowEmptyContent: false } as const;

/**
 * Hooks in a JSON file, comments allowed. Everything that is not ours stays, byte for byte.
 *
 * A new entry goes after the last one, or right after the opening bracket of an empty list. Lists, objects and files that
 * we create have white space after that bracket. So `remove` knows which empty brackets were there before.
 */
export function jsonHooks({ events, version }: JsonHooks): Edit {
  const entries = Object.entries(events);
  const all = Object.fromEntries(entries.map(([event, entry]) => [event, [entry]]));
  // Put the version on the same line as the hooks, to show that it came with them.
  const start = version === undefined ? '{\n  ' : `{\n  "version": ${version}, `;
  const file = `${start}"hooks": ${JSON.stringify(all, null, 2).replace(/\n/g, '\n  ')}\n}\n`;
  return {
    shown: file,
    add: (text) => {
      if (text === undefined) return file;
      const root = parse(text);
      const hooks = property(root, 'hooks');
      if (hooks === undefined) {
        const needsVersion = version !== undefined && property(root, 'version') === undefined;
        return insertProperty(
          text,
          root,
          'hooks',
          all,
          needsVersion ? `"version": ${version}, ` : '',
        );
      }
      return entries.reduce((edited, [event, entry]) => addEntry(edited, event, entry), text);
    },
    remove: (text) => {
      let edited: string | undefined = text;
      for (let next: Place | undefined; edited !== undefined; edited = withoutEntry(edited, next)) {
        next = ownEntry(parse(edited), edited);
        if (next === undefined) return edited;
      }
      return edited;
    },
  };
}

/** A node and its parent. */
interface Place {
  readonly node: Node;
  readonly parent: Node;
}

function parse(text: string): Node {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, PARSING);
  const [error] = errors;
  if (error) {
    const before = text.slice(0, error.offset).split('\n');
    const place = `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
    const what = printParseErrorCode(error.error).replace(/\B[A-Z]/g, (letter) => ` ${letter}`);
    throw new SetupError(`is not JSON: ${what.toLowerCase()} at ${place}`);
  }
  if (root?.type !== 'object') throw new SetupError('is not a JSON object');
  return root;
}

function property(object: Node, key: string): Node | undefined {
  const found = (object.children ?? []).filter(({ children }) => children?.[0]?.value === key);
  if (found.length > 1) throw new SetupError(`has the property "${key}" twice`);
  return found[0];
}

/** The value of a property of the hooks, which must have that type. */
function typedValue(propertyNode: Node, type: 'object' | 'array', name: string): Node {
  const value = propertyNode.children?.[1];
  if (value?.type !== type) throw new SetupError(`has a "${name}" that is not of type ${type}`);
  return value;
}

function hooksOf(root: Node): Node | undefined {
  const hooks = property(root, 'hooks');
  return hooks && typedValue(hooks, 'object', 'hooks');
}

function addEntry(text: string, event: string, entry: object): string {
  const hooks = hooksOf(parse(text));
  if (hooks === undefined) return text;
  const found = property(hooks, event);
  if (found === undefined) return insertProperty(text, hooks, event, [entry]);
  const list = typedValue(found, 'array', `hooks.${event}`);
  const own = ownCommands(list);
  if (own.length === 0) return insert(text, list, (layout) => printed(entry, layout));
  const wanted = commandOf(entry);
  // A gate stays until it is removed: running setup again does not open it.
  const [command] = own;
  if (command === undefined || command.value === wanted || !wanted.startsWith(command.value)) {
    return text;
  }
  const { offset, length } = command;
  return text.slice(0, offset) + JSON.stringify(wanted) + text.slice(offset + length);
}

function commandOf(entry: unknown): string {
  const { command, hooks = [] } = entry as { command?: string; hooks?: { command: string }[] };
  return command ?? hooks[0]?.command ?? '';
}

/** The nodes of our commands in one event's list. */
function ownCommands(list: Node): Node[] {
  return (list.children ?? []).flatMap((entry) => handlersOf(entry).flatMap(ownCommand));
}

/** An entry is a handler, or has a list of them. */
function handlersOf(entry: Node): readonly Node[] {
  if (entry.type !== 'object') return [];
  const inner = property(entry, 'hooks')?.children?.[1];
  return inner?.type === 'array' ? (inner.children ?? []) : [entry];
}

function ownCommand(handler: Node): Node[] {
  if (handler.type !== 'object') return [];
  const command = property(handler, 'command')?.children?.[1];
  return typeof command?.value === 'string' && OURS.test(command.value) ? [command] : [];
}

/** What to remove next: our entry, or our handler in an entry that has others too. */
function ownEntry(root: Node, text: string): Place | undefined {
  const hooks = hooksOf(root);
  for (const event of hooks?.children ?? []) {
    const list = event.children?.[1];
    if (hooks === undefined || list?.type !== 'array') continue;
    for (const entry of list.children ?? []) {
      const handlers = handlersOf(entry);
      const own = handlers.find((handler) => ownCommand(handler).length > 0);
      if (own === undefined) continue;
      const isAlone = handlers.length === 1;
      if (!isAlone && own.parent) return { node: own, parent: own.parent };
      return upwards({ node: entry, parent: list }, text);
    }
  }
  return undefined;
}

/** What to remove along with a node: the list we created for it, that list's object, or the whole file. */
function upwards(place: Place, text: string): Place {
  const { parent } = place;
  const isOnly = parent.children?.length === 1;
  const isMade = /\s/.test(text[parent.offset + 1] ?? '');
  const up = parent.parent;
  if (!isOnly || !isMade) return place;
  // A list or object is the value of a property, and that is in an object.
  if (up?.type !== 'property' || up.parent === undefined) return place;
  return upwards({ node: up, parent: up.parent }, text);
}

/** Undefined to delete the file. */
function withoutEntry(text: string, place: Place | undefined): string | undefined {
  if (place === undefined) return text;
  const { node, parent } = place;
  const siblings = parent.children ?? [];
  const index = siblings.indexOf(node);
  const previous = siblings[index - 1];
  const next = siblings[index + 1];
  const end = node.offset + node.length;
  if (previous) {
    const from = withVersion(text, previous, node) ? previous : undefined;
    if (from && siblings.length === 2) return withoutAll(text, parent, end);
    const before = from ? siblings[index - 2] : previous;
    return cut(text, before ? before.offset + before.length : (from?.offset ?? node.offset), end);
  }
  if (next) return cut(text, node.offset, next.offset);
  return withoutAll(text, parent, end);
}

/** Empties an object or list; undefined to delete the file, if we created it. */
function withoutAll(text: string, parent: Node, end: number): string | undefined {
  const isMade = /\s/.test(text[parent.offset + 1] ?? '');
  if (parent.parent === undefined && isMade) return undefined;
  // Someone may have added a comma there since.
  const [comma = ''] = /^\s*,/.exec(text.slice(end)) ?? [];
  return cut(text, parent.offset + 1, end + comma.length);
}

/** Whether the version was added with the hooks. */
function withVersion(text: string, previous: Node, node: Node): boolean {
  const isHooks = node.children?.[0]?.value === 'hooks' && node.parent?.parent === undefined;
  if (!isHooks || previous.children?.[0]?.value !== 'version') return false;
  return text.slice(previous.offset + previous.length, node.offset) === ', ';
}

function cut(text: string, start: number, end: number): string {
  return text.slice(0, start) + text.slice(end);
}

/** The layout of an insertion: on lines of its own, or inline. */
interface Layout {
  /** Undefined for inline. */
  readonly indent: string | undefined;
  readonly unit: string;
  readonly eol: string;
}

function insertProperty(
  text: string,
  object: Node,
  key: string,
  value: unknown,
  before = '',
): string {
  return insert(text, object, (layout) => {
    const colon = layout.indent === undefined ? ':' : ': ';
    return `${before}${JSON.stringify(key)}${colon}${printed(value, layout)}`;
  });
}

function insert(text: string, container: Node, print: (layout: Layout) => string): string {
  const last = container.children?.at(-1);
  const eol = endOfLine(text);
  const unit = /\n(\t| +)\S/.exec(text)?.[1] ?? '  ';
  if (last === undefined) {
    const at = container.offset + 1;
    const indent = /^[ \t]*/.exec(lineUpTo(text, container.offset))?.[0] ?? '';
    return text.slice(0, at) + print({ indent, unit, eol }) + text.slice(at);
  }
  const at = last.offset + last.length;
  const beforeLast = lineUpTo(text, last.offset);
  const isOnOwnLine = /^[ \t]*$/.test(beforeLast) && text.slice(0, last.offset).includes('\n');
  const layout = { indent: isOnOwnLine ? beforeLast : undefined, unit, eol };
  const separator = isOnOwnLine ? `,${eol}${beforeLast}` : ',';
  return text.slice(0, at) + separator + print(layout) + text.slice(at);
}

/** The line of an offset, up to that offset. */
function lineUpTo(text: string, offset: number): string {
  return text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
}

/** White space after the opening bracket marks something as created by us. */
function printed(value: unknown, { indent, unit, eol }: Layout): string {
  if (indent !== undefined) {
    return JSON.stringify(value, null, unit).split('\n').join(`${eol}${indent}`);
  }
  return JSON.stringify(value).replace(/([[{])(?=["{])/g, '$1 ');
}

/** Our commands in a file, by event. */
export function ownHooks(text: string): ReadonlyMap<string, string> {
  const hooks = hooksOf(parse(text));
  const found = new Map<string, string>();
  for (const event of hooks?.children ?? []) {
    const [key, list] = event.children ?? [];
    const [command] = list?.type === 'array' ? ownCommands(list) : [];
    if (key && command) found.set(String(key.value), String(getNodeValue(command)));
  }
  return found;
}
