import type { Environment } from '../environment.ts';

// What bash says about a line that it cannot read.
const SYNTAX_ERROR = ['unexpected', 'syntax error'];

// A line without any of these cannot make bash read other text than the line itself, hide bash's errors, or change their
// language.
const READS_TEXT =
  /\b(?:eval|source|exec|trap|alias|function|mapfile|compgen|LANG|LC_\w+)\b|\(\)|@P|(?:^|[\s;&|({])\.\s/;

/**
 * Which lines may have broken bash: version 5.2 corrupts its own memory after an error inside `"$(`. The test for that
 * needs a child process of bash, so it only runs if there may have been such an error.
 */
export class BrokenBashSigns {
  readonly #alwaysReadsText: boolean;
  /** Once a line reads other text, any line may have broken bash without a word on stderr. */
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

  /** From now on every line is suspect. */
  suspectAll(): void {
    this.#readsText = true;
  }

  /** Bash was started anew. */
  forget(): void {
    this.#readsText = this.#alwaysReadsText;
  }
}
