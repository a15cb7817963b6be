import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { endOfLine, SetupError } from './edit.ts';

// Changes to a JSON text that leave everything else in it as it is, byte for byte. Comments are allowed. Lists, objects and
// files that we create have white space after their opening bracket, so that they can be told from what was there before.

const PARSING = { allowTrailingComma: true, allowEmptyContent: false } as const;

/** @throws SetupError if the text is not a JSON object. */
export function parseObject(text: string): Node {
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

/** @throws SetupError if the object has several of that name. */
export function property(object: Node, key: string): Node | undefined {
  const found = (object.children ?? []).filter(({ children }) => children?.[0]?.value === key);
  if (found.length > 1) throw new SetupError(`has the property "${key}" twice`);
  return found[0];
}

/** Adds a property after the others of an object. @param before a text that goes right before it. */
export function insertProperty(
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

/** Adds an element after the others of a list. */
export function insertElement(text: string, list: Node, value: unknown): string {
  return insert(text, list, (layout) => printed(value, layout));
}

/** What to remove from an object or a list: from the first to the last of neighbours. */
export interface Range {
  readonly parent: Node;
  readonly first: Node;
  readonly last: Node;
}

/** What to remove along with it: the list that we created for it, and that list's object. */
export function widened(range: Range, text: string): Range {
  const { parent } = range;
  const up = parent.parent;
  if (parent.children?.length !== 1 || !isOurs(parent, text)) return range;
  // A list or object is the value of a property, and that is in an object.
  if (up?.type !== 'property' || up.parent === undefined) return range;
  return widened({ parent: up.parent, first: up, last: up }, text);
}

/** The text without it; undefined if nothing is left of a file that we created. */
export function without({ parent, first, last }: Range, text: string): string | undefined {
  const siblings = parent.children ?? [];
  const before = siblings[siblings.indexOf(first) - 1];
  const after = siblings[siblings.indexOf(last) + 1];
  const end = last.offset + last.length;
  if (before) return cut(text, before.offset + before.length, end);
  if (after) return cut(text, first.offset, after.offset);
  if (parent.parent === undefined && isOurs(parent, text)) {
    return text.endsWith('\n') ? undefined : text.slice(0, parent.offset);
  }
  // Someone may have added a comma there since.
  const [comma = ''] = /^\s*,/.exec(text.slice(end)) ?? [];
  return cut(text, parent.offset + 1, end + comma.length);
}

function isOurs(container: Node, text: string): boolean {
  return /\s/.test(text[container.offset + 1] ?? '');
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

function printed(value: unknown, { indent, unit, eol }: Layout): string {
  if (indent !== undefined) {
    return JSON.stringify(value, null, unit).split('\n').join(`${eol}${indent}`);
  }
  return JSON.stringify(value).replace(/([[{])(?=["{])/g, '$1 ');
}
