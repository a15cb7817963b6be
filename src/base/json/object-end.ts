const [QUOTE, BACKSLASH] = [0x22, 0x5c];
/** `{` and `[`, `}` and `]` differ in this bit only. */
const KIND = 0x20;
const [OPEN, CLOSE] = [0x5b, 0x5d];

/** A function that is given a text piece by piece, and returns true once its first JSON object or array is complete. */
export function jsonObjectEnd(): (piece: Uint8Array) => boolean {
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  return (piece) => {
    for (const byte of piece) {
      if (isEscaped) isEscaped = false;
      else if (byte === QUOTE) isInString = !isInString;
      else if (isInString) isEscaped = byte === BACKSLASH;
      else if ((byte & ~KIND) === OPEN) depth++;
      else if ((byte & ~KIND) === CLOSE && --depth === 0) return true;
    }
    return false;
  };
}
