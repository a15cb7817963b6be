import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { endOfLine, SetupError, type TextEdit } from './text-edits.ts';

export interface JsonHooks {
  readonly events: Readonly<Record<string, object>>;
  readonly version?: number;
  /** The harness ignores a file that has a comment. */
  readonly isStrict?: boolean;
  /** The setting with which it runs no hooks. */
  readonly offSwitch?: string;
}

/** Our command in any version. */
const OURS = /^agent-shell hook(?: |$)/;

/** Hooks in a JSON file. Everything else stays, byte for byte. */
export function jsonHooks({ events, version, isStrict, offSwitch = '' }: JsonHooks): TextEdit {
  const entries = Object.entries(events);
  const all = Object.fromEntries(entries.map(([event, entry]) => [event, [entry]]));
  // A version right after the bracket came with the hooks.
  const start = version === undefined ? '{' : `{"version": ${version},`;
  const file = `${start}\n  "hooks": ${JSON.stringify(all, null, 2).replace(/\n/g, '\n  ')}\n}\n`;
  return {
    shown: file,
    add: (text) => {
      if (text === undefined) return file;
      // An empty file has no settings yet. Without a final newline, `remove` knows that the file was there.
      if (text.trim() === '') return text + file.trimEnd();
      const root = parseObject(text, isStrict);
      if (property(root, offSwitch)?.children?.[1]?.value === true) {
        throw new SetupError(
          `has "${offSwitch}": true, so the agent runs no hooks; remove that first`,
        );
      }
      const hooks = property(root, 'hooks');
      if (hooks === undefined) return insertProperty(text, root, 'hooks', all);
      return entries.reduce((edited, [event, entry]) => addEntry(edited, event, entry), text);
    },
    remove: (text) => {
      let edited: string | undefined = text;
      while (edited?.trim()) {
        const own = ownEntry(parseObject(edited), edited);
        if (own === undefined) break;
        edited = without(own, edited);
      }
      const rest = `{"version": ${version}\n}`;
      if (edited === `${rest}\n`) return undefined;
      return edited?.trim() === rest ? edited.slice(0, -rest.length) : edited;
    },
  };
}

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
  const hooks = hooksOf(parseObject(text));
  if (hooks === undefined) return text;
  const found = property(hooks, event);
  if (found === undefined) return insertProperty(text, hooks, event, [entry]);
  const list = typedValue(found, 'array', `hooks.${event}`);
  const own = list.children?.find((one) => ownCommands(one).length > 0);
  if (own === undefined) return insertElement(text, list, entry);
  const { command, matcher } = ownValues(entry);
  // In an entry with other handlers, the matcher is not ours.
  const isAlone = handlersOf(own).length === 1;
  const wanted: [node: Node | undefined, value: string | undefined][] = [
    [ownCommands(own)[0], command],
    [isAlone ? property(own, 'matcher')?.children?.[1] : undefined, matcher],
  ];
  const [old, value] = wanted.find(([node, value]) => value && node && node.value !== value) ?? [];
  if (old === undefined) return text;
  const edited = text.slice(0, old.offset) + JSON.stringify(value) + text.slice(endOfNode(old));
  return addEntry(edited, event, entry);
}

function ownValues(entry: object): { command?: string; matcher?: string } {
  const { hooks, ...values } = entry as { hooks?: object[] };
  return { ...values, ...hooks?.[0] };
}

function ownCommands(entry: Node): Node[] {
  return handlersOf(entry).flatMap(ownCommand);
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

/** The next removal: our entry, or our handler in an entry with other handlers. */
function ownEntry(root: Node, text: string): JsonPart | undefined {
  const hooks = hooksOf(root);
  for (const event of hooks?.children ?? []) {
    const list = event.children?.[1];
    if (list?.type !== 'array') continue;
    for (const entry of list.children ?? []) {
      const handlers = handlersOf(entry);
      const own = handlers.find((handler) => ownCommand(handler).length > 0);
      if (own === undefined) continue;
      const isAlone = handlers.length === 1;
      if (!isAlone && own.parent) return { parent: own.parent, node: own };
      return widened({ parent: list, node: entry }, text);
    }
  }
  return undefined;
}

// Edits of JSON texts, comments allowed, keep everything else byte for byte. Lists, objects and files that we create have
// white space after their opening bracket, which identifies them.

/** @throws SetupError if the text is not a JSON object; no harness that was tried allows a trailing comma. */
function parseObject(text: string, disallowComments = false): Node {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments });
  const [error] = errors;
  if (error) {
    const before = text.slice(0, error.offset).split('\n');
    const position = `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
    const what = printParseErrorCode(error.error).replace(/\B[A-Z]/g, (letter) => ` ${letter}`);
    throw new SetupError(
      what === 'Invalid Comment Token'
        ? `has a comment at ${position}: the agent ignores all of such a file`
        : `is not JSON: ${what.toLowerCase()} at ${position}`,
    );
  }
  if (root?.type !== 'object') throw new SetupError('is not a JSON object');
  return root;
}

/** @throws SetupError if the object has several of that name. */
function property(object: Node, key: string): Node | undefined {
  const found = (object.children ?? []).filter(({ children }) => children?.[0]?.value === key);
  if (found.length > 1) throw new SetupError(`has the property "${key}" twice`);
  return found[0];
}

function insertProperty(text: string, object: Node, key: string, value: unknown): string {
  return insert(text, object, (layout) => {
    const colon = layout.indent === undefined ? ':' : ': ';
    return `${JSON.stringify(key)}${colon}${printed(value, layout)}`;
  });
}

function insertElement(text: string, list: Node, value: unknown): string {
  return insert(text, list, (layout) => printed(value, layout));
}

interface JsonPart {
  readonly parent: Node;
  readonly node: Node;
}

/** Adds the containers that we created for it. */
function widened(part: JsonPart, text: string): JsonPart {
  const { parent } = part;
  const up = parent.parent;
  if (!isOurs(parent, text) || up?.type !== 'property' || !up.parent) return part;
  return widened({ parent: up.parent, node: up }, text);
}

/** Undefined if nothing is left of a file that we created. */
function without({ parent, node }: JsonPart, text: string): string | undefined {
  // 1. If the whole file was created for it, nothing is left but the white space that was there.
  const outside = text.slice(0, parent.offset) + text.slice(endOfNode(parent));
  if (parent.parent === undefined && isOurs(parent, text) && outside.trim() === '') {
    return text.endsWith('\n') ? undefined : text.slice(0, parent.offset);
  }
  // 2. Else the part goes with the gap to the one before it, or, as the first, with the gap to the next.
  const siblings = parent.children ?? [];
  const at = siblings.indexOf(node);
  const [before, after] = [siblings[at - 1], siblings[at + 1]];
  const start = before ? endOfNode(before) : node.offset;
  const end = before || !after ? endOfNode(node) : after.offset;
  // 3. Comments in the gap stay.
  const gap = text.slice(start, node.offset) + text.slice(endOfNode(node), end);
  const comments =
    gap.trim() === ',' ? '' : gap.replace(/^((?:\s|\/\/.*|\/\*[\s\S]*?\*\/)*),/, '$1');
  return text.slice(0, start) + comments + text.slice(end);
}

/** True if it has one value, and not even a comment beside it. */
function isOurs(container: Node, text: string): boolean {
  const [only, ...others] = container.children ?? [];
  if (only === undefined || others.length > 0) return false;
  const before = text.slice(container.offset + 1, only.offset);
  const after = text.slice(endOfNode(only), endOfNode(container) - 1);
  return /^\s+$/.test(before) && after.trim() === '';
}

function endOfNode({ offset, length }: Node): number {
  return offset + length;
}

interface Layout {
  /** Undefined for inline, else on lines of its own. */
  readonly indent: string | undefined;
  readonly unit: string;
  readonly eol: string;
}

/** Adds a part at the end of an object or list, laid out as the part before it, else as the file. */
function insert(text: string, container: Node, print: (layout: Layout) => string): string {
  const last = container.children?.at(-1);
  const eol = endOfLine(text);
  const unit = /\n(\t| +)\S/.exec(text)?.[1] ?? '  ';
  const at = last ? endOfNode(last) : container.offset + 1;
  const line = lineUpTo(text, (last ?? container).offset);
  if (last === undefined) {
    const indent = /^[ \t]*/.exec(line)?.[0];
    return text.slice(0, at) + print({ indent, unit, eol }) + text.slice(at);
  }
  const isOnOwnLine = /^[ \t]*$/.test(line) && text.slice(0, last.offset).includes('\n');
  const [indent, separator] = isOnOwnLine ? [line, `,${eol}${line}`] : [undefined, ','];
  return text.slice(0, at) + separator + print({ indent, unit, eol }) + text.slice(at);
}

function lineUpTo(text: string, offset: number): string {
  return text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
}

function printed(value: unknown, { indent, unit, eol }: Layout): string {
  if (indent !== undefined) {
    return JSON.stringify(value, null, unit).split('\n').join(`${eol}${indent}`);
  }
  return JSON.stringify(value).replace(/([[{])(?=["{])/g, '$1 ');
}
