import {
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { type Edit, endOfLine, SetupError } from './edit.ts';

/** What to add to the hooks in a JSON file: for each event one entry. */
export interface JsonHooks {
  readonly events: Readonly<Record<string, object>>;
  /** The property `version`, where the file has to have one. */
  readonly version?: number;
}

/** A command of ours, of whatever version. */
const OURS = /^agent-shell hook(?: |$)/;
const PARSING = { allowTrailingComma: true, allowEmptyContent: false } as const;

/**
 * Hooks in a JSON file, comments allowed. What is not ours keeps its bytes.
 *
 * An entry is put behind the last one that is there, or right behind the bracket of an empty list. What we make
 * ourselves, a list, the object of all hooks or the file, has white space behind its bracket. So `remove` knows which
 * empty brackets were there before.
 */
export function jsonHooks({ events, version }: JsonHooks): Edit {
  const entries = Object.entries(events);
  const all = Object.fromEntries(entries.map(([event, entry]) => [event, [entry]]));
  // On one line with the hooks, the version is seen to have come with them.
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

/** A node, and the one that it is in. */
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

/** The value of a property of the hooks, which must be of that type. */
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
  // A gate stays until it is removed: who sets up again has not asked to open it.
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

/** The nodes of our commands in a list of one event. */
function ownCommands(list: Node): Node[] {
  return (list.children ?? []).flatMap((entry) => handlersOf(entry).flatMap(ownCommand));
}

/** An entry is a handler itself, or has a list of them. */
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

/** What is to be removed first: an entry of ours, or a handler in an entry that has others too. */
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

/** What goes with a node: the list that we made for it, the object of that list, the whole file. */
function upwards(place: Place, text: string): Place {
  const { parent } = place;
  const isOnly = parent.children?.length === 1;
  const isMade = /\s/.test(text[parent.offset + 1] ?? '');
  const up = parent.parent;
  if (!isOnly || !isMade) return place;
  // Above a list or object there is the property whose value it is; above that, the object.
  if (up?.type !== 'property' || up.parent === undefined) return place;
  return upwards({ node: up, parent: up.parent }, text);
}

/** Undefined if the file itself goes. */
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

/** Without everything that an object or list has in it; undefined where it is the file, made by us. */
function withoutAll(text: string, parent: Node, end: number): string | undefined {
  const isMade = /\s/.test(text[parent.offset + 1] ?? '');
  if (parent.parent === undefined && isMade) return undefined;
  // Who has edited it since may have put a comma there.
  const [comma = ''] = /^\s*,/.exec(text.slice(end)) ?? [];
  return cut(text, parent.offset + 1, end + comma.length);
}

/** Whether the version before the hooks came with them. */
function withVersion(text: string, previous: Node, node: Node): boolean {
  const isHooks = node.children?.[0]?.value === 'hooks' && node.parent?.parent === undefined;
  if (!isHooks || previous.children?.[0]?.value !== 'version') return false;
  return text.slice(previous.offset + previous.length, node.offset) === ', ';
}

function cut(text: string, start: number, end: number): string {
  return text.slice(0, start) + text.slice(end);
}

/** How what is inserted is laid out: on lines of their own, or in the line that is there. */
interface Layout {
  /** Undefined: on one line. */
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

/** The line that an offset is in, up to it. */
function lineUpTo(text: string, offset: number): string {
  return text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
}

/** White space behind the first bracket of what we make marks it as ours. */
function printed(value: unknown, { indent, unit, eol }: Layout): string {
  if (indent !== undefined) {
    return JSON.stringify(value, null, unit).split('\n').join(`${eol}${indent}`);
  }
  return JSON.stringify(value).replace(/([[{])(?=["{])/g, '$1 ');
}

/** The commands in a file that are ours, by their events. */
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
