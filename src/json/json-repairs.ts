import { endOfString } from './json-problem.ts';

/** One forgiven slip: how to fix it in a JSON text, and the note for it. */
export interface JsonRepair {
  /** Said when the text was changed; one line. */
  readonly note: string;
  /** Only a text that contains this can have the slip, so most texts need not be taken apart. */
  readonly sign: RegExp;
  /** The fixed text, or the same text where there is nothing to fix. Takes time linear in its length. */
  readonly mend: (text: string) => string;
}

/** Around the JSON. They replace what they remove with blanks, so that positions in the text stay the same. */
export const FRAME_REPAIRS: readonly JsonRepair[] = [
  {
    note: 'left out a byte-order mark before the JSON',
    sign: /^\ufeff/,
    mend: dropByteOrderMark,
  },
  {
    note: 'left out the code fence around the JSON',
    sign: /^\s*```/,
    mend: dropCodeFence,
  },
];

/** Within the JSON. Each leaves the other slips alone, so that they work in any combination. */
export const TEXT_REPAIRS: readonly JsonRepair[] = [
  {
    note: "read \\!, \\', \\` and \\$ as the characters themselves; JSON has no such escapes",
    sign: /\\[!'`$]/,
    mend: dropShellEscapes,
  },
  {
    note: 'read a line break or tab inside a string as \\n, \\r or \\t',
    sign: /[\n\r\t]/,
    mend: escapeLineBreaksAndTabs,
  },
  {
    note: 'left out a trailing comma',
    sign: /,\s*[\]}]/,
    mend: dropTrailingCommas,
  },
];

function dropByteOrderMark(text: string): string {
  return ` ${text.slice(1)}`;
}

/** ```` ```json ... ``` ````, with any language name or none. */
function dropCodeFence(text: string): string {
  const opening = /^\s*```[A-Za-z0-9_+-]*/.exec(text)?.[0];
  const end = text.trimEnd().length;
  if (opening === undefined || end < opening.length + 3 || !text.endsWith('```', end)) return text;
  return ' '.repeat(opening.length) + text.slice(opening.length, end - 3);
}

/** Shells and harnesses put a backslash before these; JSON has no such escapes, so the meaning is certain. */
function dropShellEscapes(text: string): string {
  // An escaped backslash is matched too, and kept, so that what follows it is not taken for an escape.
  return mapStrings(text, (string) => string.replace(/\\([!'`$])|(\\[\s\S])/g, '$1$2'));
}

const LINE_BREAK_OR_TAB_ESCAPES: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escapeLineBreaksAndTabs(text: string): string {
  // One after a backslash stays the error that it is: with that, its escape would be a backslash and a letter.
  return mapStrings(text, (string) =>
    string.replace(/\\[\s\S]|[\n\r\t]/g, (found) => LINE_BREAK_OR_TAB_ESCAPES[found] ?? found),
  );
}

/** Only a comma that follows a value: `[,]`, `{,}` and `[1,,]` stay the errors that they are. */
function dropTrailingCommas(text: string): string {
  return splitAtStrings(text)
    .map((part, index) => {
      if (index % 2 === 1) return part;
      // After the first part, the start of one is the end of a string, and so of a value or a key.
      const afterValue =
        index === 0 ? /([^\s[{,:]\s*),(?=\s*[\]}])/g : /((?:^|[^\s[{,:])\s*),(?=\s*[\]}])/g;
      return part.replace(afterValue, '$1 ');
    })
    .join('');
}

function mapStrings(text: string, change: (string: string) => string): string {
  return splitAtStrings(text)
    .map((part, index) => (index % 2 === 1 ? change(part) : part))
    .join('');
}

/**
 * `text` cut at its JSON strings: outside, string, outside, string, ..., outside. The strings keep their quotes; one
 * that is never closed reaches to the end.
 */
function splitAtStrings(text: string): string[] {
  const parts: string[] = [];
  let from = 0;
  for (let open = text.indexOf('"'); open !== -1; open = text.indexOf('"', from)) {
    const end = endOfString(text, open);
    parts.push(text.slice(from, open));
    from = end === -1 ? text.length : end;
    parts.push(text.slice(open, from));
  }
  parts.push(text.slice(from));
  return parts;
}
