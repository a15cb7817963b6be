const CONTROL = /[\x00-\x1f\x7f-\x9f]/g;
const HARMLESS = '\t\b\r\x07';
const MAX_PARAMETERS = 128;

/** Sequences introduced by ESC and a letter, and by the one character of C1 that stands for both. */
const C1_CSI = '\x9b';
const C1_STRINGS = '\x90\x98\x9d\x9e\x9f';
const ESC_STRINGS = 'PX]^_';

type State = 'text' | 'escape' | 'intermediate' | 'parameters' | 'string';

/** What every way to clear the screen comes to. */
const CLEAR_SCREEN = '\x1b[H\x1b[2J';
const CLEAR_SCROLLBACK = '\x1b[3J';

/**
 * Takes from the output of commands, as it streams, what could break a panel drawn below it.
 *
 * Text, line ends, tabs, backspaces, bells, colours and erasing within the line pass. A clear of the screen becomes one
 * that every terminal knows. Everything else that terminals obey is dropped: moving the cursor, modes, the alternate
 * screen, titles, clipboards, character sets. Sequences and characters may be split between chunks in any way.
 */
export class OutputFilter {
  #decoder = new TextDecoder();
  #state: State = 'text';
  #parameters = '';
  #atHome = false;

  /** What of this chunk may be written, with `\r\n` as line end. Incomplete sequences wait for the next chunk. */
  push(chunk: Uint8Array | string): string {
    const text = typeof chunk === 'string' ? chunk : this.#decoder.decode(chunk, { stream: true });
    let passed = '';
    let position = 0;
    while (position < text.length) {
      if (this.#state === 'text') {
        CONTROL.lastIndex = position;
        const control = CONTROL.exec(text)?.index ?? text.length;
        passed += text.slice(position, control);
        if (control > position) this.#atHome = false;
        position = control;
      }
      if (position < text.length) passed += this.#step(text.charAt(position++));
    }
    return passed;
  }

  /** Forgets what a command left incomplete, so that it swallows nothing of the next one's output. */
  end(): string {
    const rest = this.#decoder.decode();
    this.#decoder = new TextDecoder();
    this.#state = 'text';
    return rest;
  }

  /** One character that is a control, or is part of a sequence. */
  #step(character: string): string {
    if (character === '\x1b') return this.#enter('escape');
    if (character === '\x18' || character === '\x1a') return this.#enter('text');
    switch (this.#state) {
      case 'string':
        // ESC \ needs no case of its own: ESC ends the string, and the rest is a sequence that is dropped.
        if (character === '\x07' || character === '\x9c') this.#enter('text');
        return '';
      case 'escape':
        if (isControl(character)) break;
        if (character === '[') return this.#enter('parameters');
        if (ESC_STRINGS.includes(character)) return this.#enter('string');
        return this.#enter(/[ -/]/.test(character) ? 'intermediate' : 'text');
      case 'intermediate':
        if (isControl(character)) break;
        if (!/[ -/]/.test(character)) this.#enter('text');
        return '';
      case 'parameters':
        if (isControl(character)) break;
        if (/[@-~]/.test(character)) return this.#finish(character);
        if (character > '~') return this.#enter('text') + character;
        if (this.#parameters.length < MAX_PARAMETERS) this.#parameters += character;
        return '';
    }
    return this.#control(character);
  }

  #enter(state: State): '' {
    this.#state = state;
    this.#parameters = '';
    return '';
  }

  #control(character: string): string {
    if (character === C1_CSI) return this.#enter('parameters');
    if (C1_STRINGS.includes(character)) return this.#enter('string');
    if (character === '\n') return '\r\n';
    return HARMLESS.includes(character) ? character : '';
  }

  /** A complete control sequence: CSI, its parameters, and this last character. */
  #finish(final: string): string {
    const parameters = this.#parameters;
    const wasHome = this.#atHome;
    this.#enter('text');
    this.#atHome = final === 'H' && /^(1|1?;1?)?$/.test(parameters);
    if (final === 'm' && /^[\d;:]*$/.test(parameters) && parameters.length < MAX_PARAMETERS) {
      return `\x1b[${parameters}m`;
    }
    if (final === 'K' && /^[012]?$/.test(parameters)) return `\x1b[${parameters}K`;
    if (final !== 'J') return '';
    if (parameters === '3') return CLEAR_SCROLLBACK;
    return parameters === '2' || (wasHome && /^0?$/.test(parameters)) ? CLEAR_SCREEN : '';
  }
}

function isControl(character: string): boolean {
  return /[\x00-\x1f\x7f-\x9f]/.test(character);
}
