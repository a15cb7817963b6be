/** A key, with the name that Node's `readline` gives it. */
export interface Key {
  /** `up`, `return`, `escape`, `a`, ...; undefined for a character that has no name. */
  readonly name?: string | undefined;
  /** The raw input. */
  readonly sequence?: string | undefined;
  readonly ctrl?: boolean | undefined;
  readonly meta?: boolean | undefined;
  /** Pasted text. */
  readonly pasted?: string | undefined;
}

/** Turns each paste into one key: its content is text, never commands. */
export function withPastes(listener: (key: Key) => void): (key: Key) => void {
  let pasted: string | undefined;
  return (key) => {
    if (key.name === 'paste-start') pasted = '';
    else if (pasted === undefined) listener(key);
    else if (key.name === 'paste-end') {
      listener({ pasted });
      pasted = undefined;
    } else pasted += key.sequence ?? '';
  };
}
