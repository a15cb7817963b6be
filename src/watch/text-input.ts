import type { TextInput } from './model.ts';

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

const LAST = /.$/su;
const FIRST = /^./su;
const CONTROLS = /[\x00-\x1f\x7f-\x9f]+/g;
const LAST_WORD = /\S*\s*$/u;

/** Applies a key to the line, as in a shell. Other keys change nothing. */
export function typed<Input extends TextInput>(
  input: Input,
  { name = '', sequence = '', ctrl, meta, pasted }: Key,
): Input {
  const { before, after } = input;
  // Items are single lines.
  if (pasted !== undefined) return { ...input, before: before + pasted.replace(CONTROLS, ' ') };
  if (ctrl) {
    switch (name) {
      case 'a':
        return { ...input, before: '', after: before + after };
      case 'e':
        return { ...input, before: before + after, after: '' };
      case 'u':
        return { ...input, before: '' };
      case 'k':
        return { ...input, after: '' };
      case 'w':
        return { ...input, before: before.replace(LAST_WORD, '') };
      default:
        return input;
    }
  }
  switch (name) {
    case 'backspace':
      return { ...input, before: before.replace(LAST, '') };
    case 'delete':
      return { ...input, after: after.replace(FIRST, '') };
    case 'left':
      return {
        ...input,
        before: before.replace(LAST, ''),
        after: (LAST.exec(before)?.[0] ?? '') + after,
      };
    case 'right':
      return {
        ...input,
        before: before + (FIRST.exec(after)?.[0] ?? ''),
        after: after.replace(FIRST, ''),
      };
    case 'home':
      return { ...input, before: '', after: before + after };
    case 'end':
      return { ...input, before: before + after, after: '' };
  }
  const isText = !meta && sequence.search(CONTROLS) === -1;
  return isText ? { ...input, before: before + sequence } : input;
}
