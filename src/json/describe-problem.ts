import { safeText } from '../safe-text.ts';
import type { JsonProblem } from './json-problem.ts';
import { characterCount } from './visible-text.ts';

const UNITS_BEFORE = 16;
const UNITS_AFTER = 24;

/** `line 1, column 2: expected a property name in double quotes, near {invalid}`; columns are counted in code points. */
export function describeProblem(text: string, { offset, message }: JsonProblem): string {
  const lines = text.slice(0, offset).split('\n');
  const column = characterCount(lines.at(-1) ?? '') + 1;
  const near = excerpt(text, offset);
  return `line ${lines.length}, column ${column}: ${message}${near && `, near ${near}`}`;
}

function excerpt(text: string, offset: number): string {
  const from = startOfCharacter(text, Math.max(0, offset - UNITS_BEFORE));
  const to = startOfCharacter(text, Math.min(text.length, offset + UNITS_AFTER));
  return `${from > 0 ? '...' : ''}${safeText(text.slice(from, to))}${to < text.length ? '...' : ''}`;
}

/** Steps back from the middle of a surrogate pair. */
function startOfCharacter(text: string, index: number): number {
  const code = text.codePointAt(index - 1);
  return code !== undefined && code > 0xffff ? index - 1 : index;
}
