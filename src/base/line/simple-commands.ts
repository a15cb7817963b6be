import { readWord, type Word } from './words.ts';

/** The operator between commands. A newline is `;`, the start and the end of the line are ''. */
export type Joint = '' | ';' | '&' | '&&' | '||' | '|';

export interface Redirection {
  /** Empty unless given. */
  readonly descriptor: string;
  readonly operator: string;
  /** The file, the other descriptor, the delimiter of a heredoc, or the text of a here-string. */
  readonly target: Word;
}

/** A simple command, perhaps without words. */
export interface SimpleCommand {
  readonly words: readonly Word[];
  /** The assignments before the first word, such as `X=1`. */
  readonly assignments: readonly Word[];
  readonly redirections: readonly Redirection[];
  /** An index into the line. */
  readonly start: number;
  /** As written, without the text of heredocs. */
  readonly text: string;
  readonly before: Joint;
  readonly after: Joint;
}

/** The commands of a line, as far as they can be read without bash. */
export interface CommandsRead {
  /** In order, also those inside groups. */
  readonly commands: readonly SimpleCommand[];
  /** The line is a list of these commands and nothing else. If false, bash may run others, and not all of these. */
  readonly isWhole: boolean;
  /** Bash reads no more than the line: nothing in it is open, and the last command does not go on. */
  readonly isComplete: boolean;
  /** There are only literal words: no variable, pattern, assignment, comment or continued line. */
  readonly isLiteral: boolean;
}

/** The tokens that are no words, by their kind. */
const TOKENS = {
  blank: /[ \t]+/,
  // A comment, or the end of a continued line.
  skipped: /#[^\n]*|\\\n/,
  newline: /\n/,
  // Before `(` it is a process substitution.
  redirection: /(?<descriptor>\d+(?=[<>]))?(?<operator>&>>?|<<<|<<-?|<>|[<>]&|>>|>\||[<>])(?!\()/,
  // `;;` and `;&` belong to `case`.
  joint: /&&|\|\||\|&?|&|;(?![;&])/,
  // `((` is arithmetic.
  group: /\((?!\()|\)/,
};
const LINE_TOKEN = /* @__PURE__ */ anyOf(TOKENS);
/** Before the target of a redirection. */
const BLANKS_BEFORE_TARGET = /(?:[ \t]|\\\n)*/y;
/** Limits the time, since hundreds of lines are read when a list is completed. */
const MAX_TOKENS = 200;
const GROUP = /^(?:!|\{|\}|if|then|elif|else|fi|for|while|until|do|done)$/;
const OPENS = /^(?:[({]|if|for|while|until)$/;
const CLOSES = /^(?:[)}]|fi|done)$/;
/** Keywords with a grammar of their own, and an element of an array, which may have blanks in its brackets. */
const UNREAD = /^(?:(?:\[\[|case|esac|select|function|coproc|in)$|[A-Za-z_]\w*\[)/;
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;
/** Delimiters of heredocs that need no expansion. */
const DELIMITER = /^(?:\\?[\w.-]+|'[^'\n]*'|"[^"\\\n]*")$/;
const HEREDOC = /^<<-?$/;
const QUOTING = /['"\\]/;
/** NUL and lone surrogates, which reach bash as other bytes. Not \p{Cs}, for which V8 asks ICU at each start. */
const UNCERTAIN_TEXT = /\0|[\ud800-\udfff]/u;

function anyOf(kinds: Readonly<Record<string, RegExp>>): RegExp {
  const named = Object.entries(kinds).map(([kind, { source }]) => `(?<${kind}>${source})`);
  return new RegExp(named.join('|'), 'y');
}

/** Reads the simple commands of a line, up to the first token that it is not sure about. */
export function readCommands(line: string): CommandsRead {
  return new LineReader(line).read();
}

/** Returns undefined unless the line is a list of simple commands and nothing else. */
export function simpleCommands(line: string): readonly SimpleCommand[] | undefined {
  const { commands, isWhole } = readCommands(line);
  return isWhole ? commands : undefined;
}

class CommandDraft {
  readonly words: Word[] = [];
  readonly assignments: Word[] = [];
  readonly redirections: Redirection[] = [];
  isCommand = true;
  start = 0;
  end = 0;
}

/** Methods that read a token return false if only bash can read it. */
class LineReader {
  readonly #line: string;
  readonly #commands: SimpleCommand[] = [];
  /** The heredocs whose text begins on the next line. */
  readonly #heredocs: Redirection[] = [];
  #isWhole = true;
  #isLiteral = true;
  /** The number of open groups and keywords. */
  #depth = 0;
  #at = 0;
  #before: Joint = '';
  #draft = new CommandDraft();

  constructor(line: string) {
    this.#line = line;
  }

  read(): CommandsRead {
    let isRead = !UNCERTAIN_TEXT.test(this.#line);
    for (let tokens = 0; isRead && this.#at < this.#line.length; tokens++) {
      isRead = tokens < MAX_TOKENS && this.#readToken();
    }
    if (this.#draft.end > 0) this.#endCommand('');
    isRead &&= this.#heredocs.length === 0;
    const isContinued = /^(?:&&|\|\|?)$/.test(this.#before) || this.#line.endsWith('\\');
    return {
      commands: this.#commands,
      isWhole: this.#isWhole && isRead,
      isComplete: isRead && this.#depth === 0 && !isContinued,
      isLiteral: this.#isLiteral,
    };
  }

  #readToken(): boolean {
    const start = this.#at;
    LINE_TOKEN.lastIndex = start;
    const token = LINE_TOKEN.exec(this.#line)?.groups;
    if (token === undefined) return this.#readWord();
    this.#at = LINE_TOKEN.lastIndex;
    const { skipped, newline, descriptor = '', operator, joint, group } = token;
    if (newline !== undefined) return this.#readNewline();
    if (group !== undefined) return this.#readGroup(group);
    if (operator !== undefined) return this.#readRedirection(start, descriptor, operator);
    if (joint !== undefined) this.#endCommand(joint === '|&' ? '|' : (joint as Joint));
    if (skipped !== undefined) this.#isLiteral = false;
    return true;
  }

  /** A keyword, an assignment, or a word of the command. */
  #readWord(): boolean {
    const word = readWord(this.#line, this.#at);
    if (word === undefined) return false;
    const { written, start } = word;
    const { words, assignments } = this.#draft;
    const isFirst = words.length === 0;
    if (isFirst && UNREAD.test(written)) return false;
    this.#at += written.length;
    if (isFirst && GROUP.test(written)) return this.#leaveList(written);
    const isAssignment = isFirst && ASSIGNMENT.test(written);
    // `time` is a keyword before a command, and a bracket alone is no pattern.
    const isBracket = written === (words[0]?.written === '[' ? ']' : '[');
    const isLiteral = (word.isLiteral || isBracket) && !(isFirst && written === 'time');
    this.#isLiteral &&= isLiteral && !isAssignment;
    (isAssignment ? assignments : words).push({ ...word, isLiteral });
    this.#extendDraft(start);
    return true;
  }

  #readRedirection(start: number, descriptor: string, operator: string): boolean {
    this.#extendDraft(start);
    BLANKS_BEFORE_TARGET.lastIndex = this.#at;
    const blanks = BLANKS_BEFORE_TARGET.exec(this.#line)?.[0] ?? '';
    this.#at += blanks.length;
    const target = this.#readTarget(operator);
    if (target === undefined) return false;
    this.#at += target.written.length;
    this.#extendDraft(start);
    this.#isLiteral &&= target.isLiteral && !blanks.includes('\n');
    const redirection = { descriptor, operator, target };
    this.#draft.redirections.push(redirection);
    if (!HEREDOC.test(operator)) return true;
    this.#heredocs.push(redirection);
    return DELIMITER.test(target.written);
  }

  #readTarget(operator: string): Word | undefined {
    const [line, start] = [this.#line, this.#at];
    LINE_TOKEN.lastIndex = start;
    if (LINE_TOKEN.test(line)) return undefined;
    // `>&-x` closes the descriptor, and x is an argument.
    const isDash = /^[<>]&$/.test(operator) && line[start] === '-';
    return isDash ? { text: '-', written: '-', isLiteral: true, start } : readWord(line, start);
  }

  /** After `&&` or a pipe, a newline continues the list. */
  #readNewline(): boolean {
    if (this.#draft.end > 0) this.#endCommand(';');
    for (const heredoc of this.#heredocs.splice(0)) {
      const end = endOfHeredoc(this.#line, this.#at, heredoc);
      if (end === undefined) return false;
      this.#at = end;
    }
    return true;
  }

  #readGroup(parenthesis: string): boolean {
    const isFunction = parenthesis === '(' && this.#draft.end > 0;
    return !isFunction && this.#leaveList(parenthesis);
  }

  /** For a group or a keyword: the line is no plain list. */
  #leaveList(word: string): true {
    this.#isWhole = false;
    this.#depth += Number(OPENS.test(word)) - Number(CLOSES.test(word));
    this.#endCommand(';');
    this.#draft.isCommand = word !== 'for';
    return true;
  }

  /** Up to the end of the token that begins at `start`. */
  #extendDraft(start: number): void {
    if (this.#draft.end === 0) this.#draft.start = start;
    this.#draft.end = this.#at;
  }

  #endCommand(after: Joint): void {
    const { start, end, isCommand, words, assignments, redirections } = this.#draft;
    if (end > 0 && isCommand) {
      const text = this.#line.slice(start, end);
      const before = this.#before;
      this.#commands.push({ words, assignments, redirections, start, text, before, after });
    }
    if (end > 0) this.#draft = new CommandDraft();
    this.#before = after;
  }
}

/** The index after the delimiter of a heredoc. Returns undefined if there is no certain one. */
function endOfHeredoc(
  line: string,
  start: number,
  { operator, target }: Redirection,
): number | undefined {
  for (let from = start; from < line.length; ) {
    const newline = line.indexOf('\n', from);
    const end = newline < 0 ? line.length : newline;
    const text = line.slice(from, end);
    // Bash joins this line and the next, which may make a delimiter, if the heredoc is not quoted.
    if (text.endsWith('\\') && !QUOTING.test(target.written)) return undefined;
    from = end + 1;
    if ((operator === '<<-' ? text.replace(/^\t+/, '') : text) === target.text) return from;
  }
  return undefined;
}
