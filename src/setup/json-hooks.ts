import type { Node } from 'jsonc-parser';
import { type Edit, SetupError } from './edit.ts';
import {
  insertElement,
  insertProperty,
  parseObject,
  property,
  type Range,
  widened,
  without,
} from './json-edit.ts';

/** What to add to the hooks in a JSON file: one entry for each event. */
export interface JsonHooks {
  readonly events: Readonly<Record<string, object>>;
  /** The `version` property, if the file needs one. */
  readonly version?: number;
}

/** Matches our command, in any version. */
const OURS = /^agent-shell hook(?: |$)/;

/** Hooks in a JSON file, comments allowed. Everything that is not ours stays, byte for byte. */
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
      // An empty file has no settings yet. Without a line end after ours, "remove" knows that there was a file.
      if (text.trim() === '') return text + file.trimEnd();
      const root = parseObject(text);
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
      while (edited?.trim()) {
        const own = ownEntry(parseObject(edited), edited);
        if (own === undefined) return edited;
        edited = without(own, edited);
      }
      return edited;
    },
  };
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
  const hooks = hooksOf(parseObject(text));
  if (hooks === undefined) return text;
  const found = property(hooks, event);
  if (found === undefined) return insertProperty(text, hooks, event, [entry]);
  const list = typedValue(found, 'array', `hooks.${event}`);
  const own = ownCommands(list);
  if (own.length === 0) return insertElement(text, list, entry);
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
function ownEntry(root: Node, text: string): Range | undefined {
  const hooks = hooksOf(root);
  for (const event of hooks?.children ?? []) {
    const list = event.children?.[1];
    if (hooks === undefined || list?.type !== 'array') continue;
    for (const entry of list.children ?? []) {
      const handlers = handlersOf(entry);
      const own = handlers.find((handler) => ownCommand(handler).length > 0);
      if (own === undefined) continue;
      const isAlone = handlers.length === 1;
      if (!isAlone && own.parent) return { parent: own.parent, first: own, last: own };
      return withVersion(widened({ parent: list, first: entry, last: entry }, text), text);
    }
  }
  return undefined;
}

/** With the hooks goes the version that was added with them. */
function withVersion(range: Range, text: string): Range {
  const { parent, first } = range;
  const siblings = parent.children ?? [];
  const previous = siblings[siblings.indexOf(first) - 1];
  const isHooks = first.children?.[0]?.value === 'hooks' && parent.parent === undefined;
  if (!isHooks || previous?.children?.[0]?.value !== 'version') return range;
  const between = text.slice(previous.offset + previous.length, first.offset);
  return between === ', ' ? { ...range, first: previous } : range;
}
