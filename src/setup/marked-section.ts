import { type Edit, endOfLine, SetupError } from './edit.ts';

/** How a file type writes a comment line. */
export interface CommentStyle {
  readonly open: string;
  readonly close: string;
}

export const MARKDOWN_COMMENT: CommentStyle = { open: '<!-- ', close: ' -->' };
export const HASH_COMMENT: CommentStyle = { open: '# ', close: '' };

/** Increase it when the section's text changes its meaning. */
const VERSION = 'v1';

interface Found {
  readonly start: number;
  readonly end: number;
  readonly owners: readonly string[];
}

/**
 * A section between two comments at the end of a file. Several harnesses may share a file: the first comment names those
 * that use the section, and it goes with the last of them.
 *
 * A blank line comes before it and a line ending after it, unless the file did not end with one; then there is still none.
 * So `remove` knows what was there.
 */
export function markedSection(body: string, owner: string, style: CommentStyle): Edit {
  const { open, close } = style;
  const begin = `${open}BEGIN todowrite ${VERSION}: `;
  const end = `${open}END todowrite${close}`;
  const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const beginLine = new RegExp(
    `^${escaped(`${open}BEGIN todowrite `)}[^\\r\\n:]*: ([\\w, -]*?)${escaped(close)}\\r?$`,
    'gm',
  );

  const section = (owners: readonly string[], eol: string) =>
    [`${begin}${owners.join(', ')}${close}`, ...body.trimEnd().split('\n'), end].join(eol);

  const find = (text: string): Found | undefined => {
    const begins = [...text.matchAll(beginLine)];
    const [first] = begins;
    const ends = text.split(end).length - 1;
    if (first === undefined && ends === 0) return undefined;
    const from = first?.index ?? 0;
    const to = text.indexOf(end, from);
    if (begins.length !== 1 || ends !== 1 || to < 0) {
      throw new SetupError(
        'has todowrite comments that do not pair: one BEGIN, then one END; delete them by hand',
      );
    }
    const owners = (first?.[1] ?? '').split(', ').filter(Boolean);
    return { start: from, end: to + end.length, owners };
  };

  return {
    shown: `${section([owner], '\n')}\n`,
    add: (text) => {
      if (text === undefined) return `${section([owner], '\n')}\n`;
      const eol = endOfLine(text);
      const found = find(text);
      if (found) {
        const owners = [...new Set([...found.owners, owner])].sort();
        const inner = endOfLine(text.slice(found.start, found.end));
        return text.slice(0, found.start) + section(owners, inner) + text.slice(found.end);
      }
      if (text === '') return section([owner], eol);
      return text.endsWith(eol)
        ? text + eol + section([owner], eol) + eol
        : text + eol + eol + section([owner], eol);
    },
    remove: (text) => {
      const found = find(text);
      if (found === undefined || !found.owners.includes(owner)) return text;
      const eol = endOfLine(text.slice(found.start, found.end));
      const others = found.owners.filter((name) => name !== owner);
      if (others.length > 0) {
        return text.slice(0, found.start) + section(others, eol) + text.slice(found.end);
      }
      const [before, after] = [text.slice(0, found.start), text.slice(found.end)];
      if (before === '') return after === eol ? undefined : withoutStart(after, eol);
      if (after === '') return withoutEnd(withoutEnd(before, eol), eol);
      return withoutEnd(before, eol) + withoutStart(after, eol);
    },
  };
}

function withoutEnd(text: string, end: string): string {
  return text.endsWith(end) ? text.slice(0, -end.length) : text;
}

function withoutStart(text: string, start: string): string {
  return text.startsWith(start) ? text.slice(start.length) : text;
}
