import type { TextInput } from './model.ts';

/** As Node's `readline` names it. */
export interface Key {
  /** `up`, `return`, `escape`, `a`, ...; undefined for a character that has no name. */
  readonly name?: string | undefined;
  /** The raw input. */
  readonly sequence?: string | undefined;
  readonly ctrl?: boolean | undefined;
  readonly meta?: boolean | undefined;
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
const FIRST_CHARACTER = /^./su;
const CONTROL_RUNS = /[\x00-\x1f\x7f-\x9f]+/g;
const LAST_WORD = /\S*\s*$/u;

type InputEdit = (before: string, after: string) => readonly [before: string, after: string];

const toStart: InputEdit = (before, after) => ['', before + after];
const toEnd: InputEdit = (before, after) => [before + after, ''];

/** `^`: with Ctrl. */
const EDITS = new Map<string, InputEdit>([
  ['home', toStart],
  ['^a', toStart],
  ['end', toEnd],
  ['^e', toEnd],
  ['^u', (_, after) => ['', after]],
  ['^k', (before) => [before, '']],
  ['^w', (before, after) => [before.replace(LAST_WORD, ''), after]],
  ['backspace', (before, after) => [before.replace(LAST, ''), after]],
  ['delete', (before, after) => [before, after.replace(FIRST_CHARACTER, '')]],
  ['left', (before, after) => [before.replace(LAST, ''), (LAST.exec(before)?.[0] ?? '') + after]],
  [
    'right',
    (before, after) => [
      before + (FIRST_CHARACTER.exec(after)?.[0] ?? ''),
      after.replace(FIRST_CHARACTER, ''),
    ],
  ],
]);

/** Applies a key as a shell does. Other keys change nothing. */
export function typed<Input extends TextInput>(
  input: Input,
  { name = '', sequence = '', ctrl, meta, pasted }: Key,
): Input {
  // Items are single lines.
  const text = pasted?.replace(CONTROL_RUNS, ' ');
  const edit = text === undefined ? EDITS.get(ctrl ? `^${name}` : name) : undefined;
  if (edit) {
    const [before, after] = edit(input.before, input.after);
    return { ...input, before, after };
  }
  const isText = !ctrl && !meta && sequence.search(CONTROL_RUNS) === -1;
  return { ...input, before: input.before + (text ?? (isText ? sequence : '')) };
}
