import type { Key } from './key-events.ts';

/** A line being typed: the text before and after the cursor. */
export interface TextInput {
  readonly before: string;
  readonly after: string;
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
