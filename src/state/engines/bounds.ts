/** What a server sends is more than lists ever need: it is broken, or somebody else's. */
export class TooMuch extends Error {}

const MIB = 1024 * 1024;
/** Of one answer of a server. The 50 versions that are kept, each as large as etcd takes one, fit into it. */
const MOST_BYTES = 128 * MIB;
/** Of one version. 10,000 tasks are 3.5 MB. */
export const MOST_UNPACKED_BYTES = 64 * MIB;
/** Metadata is the deepest part of a list, with 20. Each level costs a parser much more than its two bytes. */
const MOST_LEVELS = 100;

/** @throws TooMuch for an answer of more bytes than there should be. */
export function checkSize(bytes: number): void {
  if (bytes > MOST_BYTES) throw new TooMuch(`it sent more than ${MOST_BYTES / MIB} MiB at once`);
}

/** What gzip has packed. @throws TooMuch where it is too large, another Error where it is damaged. */
export function unpack(bytes: Buffer): Buffer {
  try {
    const { gunzipSync } = process.getBuiltinModule('node:zlib');
    return gunzipSync(bytes, { maxOutputLength: MOST_UNPACKED_BYTES });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw error;
    throw new TooMuch(`it unpacks to more than ${MOST_UNPACKED_BYTES / MIB} MiB`);
  }
}

/** @throws TooMuch where it is nested too deeply, a SyntaxError where it is no JSON. */
export function parse(json: string): unknown {
  let levels = 0;
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '"') at = endOfText(json, at);
    else if (character === '[' || character === '{') levels++;
    else if (character === ']' || character === '}') levels--;
    if (levels > MOST_LEVELS) throw new TooMuch(`its JSON has more than ${MOST_LEVELS} levels`);
  }
  return JSON.parse(json);
}

/** Where the text that begins here has its other quote. Most of an answer is text in base64. */
function endOfText(json: string, start: number): number {
  for (let end = start; ; ) {
    end = json.indexOf('"', end + 1);
    if (end < 0) return json.length;
    let escapes = 0;
    while (json[end - 1 - escapes] === '\\') escapes++;
    if (escapes % 2 === 0) return end;
  }
}
