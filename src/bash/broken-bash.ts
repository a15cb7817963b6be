import type { Environment } from '../environment.ts';

// What bash says about a line that it cannot read.
const SYNTAX_ERROR = ['unexpected', 'syntax error'];

// A line whose text has none of these cannot make bash read other text than the line itself, nor have its errors hidden or
// said in another language.
const READS_TEXT =
  /\b(?:eval|source|exec|trap|alias|function|mapfile|compgen|LANG|LC_\w+)\b|\(\)|@P|(?:^|[\s;&|({])\.\s/;

/**
 * Which lines may have broken bash: version 5.2 corrupts its own memory after an error inside `"$(`. Testing that takes
 * a child of bash, so it is done only if there may have been such an error.
 */
export class BrokenBashSigns {
  readonly #alwaysReadsText: boolean;
  /** A line that says nothing on stderr may still have broken it. */
  #readsText: boolean;

  constructor({ LC_ALL, LC_MESSAGES, LANG, BASH_ENV }: Environment) {
    const isEnglish = /^(?:C|POSIX|en)\b|^en_|^$/.test(LC_ALL || LC_MESSAGES || LANG || '');
    this.#alwaysReadsText = !isEnglish || Boolean(BASH_ENV);
    this.#readsText = this.#alwaysReadsText;
  }

  /** @param output what the line printed. */
  isSuspect(line: string, output: { hasError(text: string): boolean }): boolean {
    this.#readsText ||= READS_TEXT.test(line);
    return this.#readsText || SYNTAX_ERROR.some((part) => output.hasError(part));
  }

  /** From now on each line is suspect. */
  suspectAll(): void {
    this.#readsText = true;
  }

  /** There is a fresh bash. */
  forget(): void {
    this.#readsText = this.#alwaysReadsText;
  }
}
