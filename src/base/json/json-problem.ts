import { JSON_BLANK } from '../safe-text.ts';
import { orElse } from '../system/files.ts';

/** The place where a text stops being JSON. */
export interface JsonProblem {
  /** An index into the text, or its length. */
  readonly offset: number;
  readonly message: string;
  /** The likely cause: a truncated text, removed quotes, a bare quote inside a string, removed quotes of several objects. */
  readonly kind: 'cut' | 'unquoted' | 'inner quote' | 'joined' | 'other';
}

/**
 * The first problem of a JSON text. Returns undefined if there is none.
 *
 * Node's own messages differ between releases and stop at slips that are corrected here (trailing commas, shell escapes, line
 * breaks in strings). A duplicate key is a problem too, since JSON.parse drops the first one.
 */
export function findJsonProblem(text: string): JsonProblem | undefined {
  return new Scanner(text).run();
}

const JSON_BLANKS = new RegExp(`${JSON_BLANK}*`, 'y');
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![0-9A-Za-z_.+-])/y;
const JSON_LITERAL = /(?:true|false|null)(?![0-9A-Za-z_])/y;
const BARE_WORD = /[A-Za-z_]/y;
const BARE_KEY = /[A-Za-z_][A-Za-z0-9_]*\s*:/y;
/** JSON's own escapes, and corrected slips. */
const ESCAPE = /\\(?:["\\/bfnrt!'`$]|u[0-9a-fA-F]{4})/y;
/** Without line breaks and tabs, which are corrected. */
const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1f]/;

/** `element` and `key` accept the end of their array or object too, for a trailing comma. */
type Expected = 'value' | 'element' | 'key' | 'colon' | 'separator' | 'nothing';

/** Has its own stack: deep nesting must not overflow the call stack. */
class Scanner {
  readonly #text: string;
  readonly #open: { closing: '}' | ']'; keys?: Set<string> }[] = [];
  #at = 0;
  #expected: Expected = 'value';
  #isAfterString = false;

  constructor(text: string) {
    this.#text = text;
  }

  run(): JsonProblem | undefined {
    for (;;) {
      this.#skip(JSON_BLANKS);
      const character = this.#text[this.#at];
      if (character === undefined) break;
      const problem = this.#token(character);
      if (problem !== undefined) return problem;
    }
    return this.#expected === 'nothing'
      ? undefined
      : this.#problem('the text ends before the JSON is complete', 'cut');
  }

  #token(character: string): JsonProblem | undefined {
    const closing = this.#open.at(-1)?.closing;
    const mayClose = this.#expected !== 'value' && this.#expected !== 'colon';
    if (character === closing && mayClose) {
      this.#at++;
      this.#open.pop();
      return this.#endValue();
    }
    switch (this.#expected) {
      case 'value':
      case 'element':
        return this.#value(character);
      case 'key':
        return this.#key(character);
      case 'colon':
        if (character !== ':') return this.#problem("expected ':' after the property name");
        return this.#pass('value');
      case 'separator':
        if (character === ',') return this.#pass(closing === '}' ? 'key' : 'element');
        return this.#problem(
          `expected ',' or '${closing}'`,
          // A bare word is rather the rest of a string that a quote has ended than a missing comma.
          this.#isAfterString && !/["{[\]}:]/.test(character) ? 'inner quote' : 'other',
        );
      case 'nothing':
        return this.#problem('unexpected text after the end of the JSON');
    }
  }

  #value(character: string): JsonProblem | undefined {
    if (character === '{' || character === '[') {
      this.#open.push({ closing: character === '{' ? '}' : ']' });
      return this.#pass(character === '{' ? 'key' : 'element');
    }
    if (character === '"') return this.#string() ?? this.#endValue(true);
    if (this.#skip(NUMBER) || this.#skip(JSON_LITERAL)) return this.#endValue();
    const isBareText = this.#open.length > 0 && this.#sees(BARE_WORD);
    return this.#problem('expected a value', isBareText ? 'unquoted' : 'other');
  }

  #key(character: string): JsonProblem | undefined {
    if (character !== '"') {
      const kind = this.#sees(BARE_KEY) ? 'unquoted' : 'other';
      return this.#problem('expected a property name in double quotes', kind);
    }
    const start = this.#at;
    const problem = this.#string();
    if (problem !== undefined) return problem;
    const name = decoded(this.#text.slice(start, this.#at));
    const object = this.#open.at(-1);
    if (object?.keys?.has(name)) {
      this.#at = start;
      return this.#problem('duplicate property');
    }
    if (object !== undefined) object.keys = (object.keys ?? new Set()).add(name);
    this.#expected = 'colon';
    return undefined;
  }

  #string(): JsonProblem | undefined {
    const start = this.#at;
    const end = endOfString(this.#text, start);
    if (end === -1) return this.#problem('the string that begins here is never closed', 'cut');
    const string = this.#text.slice(start, end);
    const control = string.search(CONTROL);
    if (control !== -1) {
      this.#at = start + control;
      return this.#problem(
        'a control character in a string must be written as \\u and four digits',
      );
    }
    for (let at = string.indexOf('\\'); at !== -1; at = string.indexOf('\\', ESCAPE.lastIndex)) {
      ESCAPE.lastIndex = at;
      if (!ESCAPE.test(string)) {
        this.#at = start + at;
        return this.#problem('unknown escape in a string; a backslash itself is written \\\\');
      }
    }
    this.#at = end;
    return undefined;
  }

  #endValue(isString = false): undefined {
    this.#isAfterString = isString;
    this.#expected = this.#open.length === 0 ? 'nothing' : 'separator';
  }

  #pass(expected: Expected): undefined {
    this.#at++;
    this.#expected = expected;
  }

  #sees(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    return pattern.test(this.#text);
  }

  #skip(pattern: RegExp): boolean {
    if (!this.#sees(pattern)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }

  #problem(message: string, kind: JsonProblem['kind'] = 'other'): JsonProblem {
    const hint = /[“”„]/.test(this.#text.charAt(this.#at)) ? '; write curly quotes as "' : '';
    return { offset: this.#at, message: message + hint, kind };
  }
}

/** Keys with different escapes may be the same key. */
function decoded(key: string): string {
  return key.includes('\\') ? orElse(() => `"${JSON.parse(key)}"`, key) : key;
}

/** The index after the closing quote of the string that begins at `open`; -1 if there is none. */
export function endOfString(text: string, open: number): number {
  // Most of a server's answer is base64 in strings, which indexOf passes over quickly.
  for (let end = text.indexOf('"', open + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text[end - 1 - escapes] === '\\') escapes++;
    if (escapes % 2 === 0) return end + 1;
  }
  return -1;
}
