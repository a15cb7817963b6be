/**
 * Everything that a terminal does not print as text: a control sequence (groups: parameters, final character), a string
 * such as a title (its end), another escape sequence (its final character), or a control character.
 */
const SEQUENCE =
  /(?:\x1b\[|\x9b)([ -?]*)([@-~])?|(?:\x1b[PX\]^_]|[\x90\x98\x9d-\x9f])[^\x07\x18\x1a\x1b\x9c]*(\x07|\x1b\\|\x9c)?|\x1b[ -/]*([0-~])?|[\x00-\x1f\x7f-\x9f]/g;
const BEGINS_SEQUENCE = /^[\x1b\x90\x98\x9b\x9d-\x9f]/;
const HARMLESS = '\t\b\r\x07';
const MAX_PARAMETERS = 128;
/** A longer sequence is dropped in any case. */
const MAX_HELD = 2 * MAX_PARAMETERS;

/** Every way to clear the screen becomes this. */
const CLEAR_SCREEN = '\x1b[H\x1b[2J';
const CLEAR_SCROLLBACK = '\x1b[3J';

/**
 * Removes from streamed command output everything that could break a panel below it.
 *
 * Text, line ends, tabs, backspaces, bells, colours and erasing within the line pass. A clear of the screen becomes one
 * that every terminal knows. All else is dropped: cursor movement, modes, the alternate screen, titles, clipboards,
 * character sets. Sequences and characters may be split between chunks anywhere.
 */
export class OutputFilter {
  #decoder = new TextDecoder();
  /** An incomplete sequence at the end of the last chunk. */
  #held = '';
  /** True if the output just moved to the top of the screen: then erasing below clears it. */
  #isHome = false;

  /** The printable part of a chunk, with `\r\n` as line end. */
  push(chunk: Uint8Array | string): string {
    const text =
      this.#held +
      (typeof chunk === 'string' ? chunk : this.#decoder.decode(chunk, { stream: true }));
    this.#held = '';
    let end = 0;
    const passed = text.replace(
      SEQUENCE,
      (found, parameters, final, stringEnd, last, at: number) => {
        const wasHome = this.#isHome && at === end;
        end = at + found.length;
        const isComplete =
          (final ?? stringEnd ?? last) !== undefined || !BEGINS_SEQUENCE.test(found);
        if (!isComplete && end === text.length) {
          this.#held = found.slice(0, MAX_HELD);
          return '';
        }
        this.#isHome = final === 'H' && /^(1|1?;1?)?$/.test(parameters);
        if (final !== undefined) return controlSequence(parameters, final, wasHome);
        return found === '\n' ? '\r\n' : HARMLESS.includes(found) ? found : '';
      },
    );
    if (end < text.length) this.#isHome = false;
    return passed;
  }

  /** Call this at the end of a command, so that an incomplete sequence swallows nothing of the next one's output. */
  end(): string {
    const rest = this.#decoder.decode();
    this.#decoder = new TextDecoder();
    this.#held = '';
    return rest;
  }
}

function controlSequence(parameters: string, final: string, isHome: boolean): string {
  if (final === 'm' && /^[\d;:]*$/.test(parameters) && parameters.length < MAX_PARAMETERS) {
    return `\x1b[${parameters}m`;
  }
  if (final === 'K' && /^[012]?$/.test(parameters)) return `\x1b[${parameters}K`;
  if (final !== 'J') return '';
  if (parameters === '3') return CLEAR_SCROLLBACK;
  return parameters === '2' || (isHome && /^0?$/.test(parameters)) ? CLEAR_SCREEN : '';
}
