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

// One token a match, except for words.
const LINE_TOKEN =
  /(?<blank>[ \t]+)|(?<skipped>#[^\n]*|\\\n)|(?<newline>\n)|(?<descriptor>\d+(?=[<>]))?(?<operator>&>>?|<<<|<<-?|<>|[<>]&|>>|>\||[<>])(?!\()|(?<joint>&&|\|\||\|&?|&|;(?![;&]))|(?<group>\((?!\()|\))/y;
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

class LineReader {
  readonly #line: string;
  readonly #commands: SimpleCommand[] = [];
  readonly #heredocs: Redirection[] = [];
  #isWhole = true;
  #isLiteral = true;
  /** The open groups and keywords. */
  #depth = 0;
  #at = 0;
  #before: Joint = '';
  #draft = new CommandDraft();
  /** A redirection that waits for its target. */
  #open: Omit<Redirection, 'target'> | undefined;

  constructor(line: string) {
    this.#line = line;
  }

  read(): CommandsRead {
    let isRead = !UNCERTAIN_TEXT.test(this.#line);
    for (let tokens = 0; isRead && this.#at < this.#line.length; tokens++) {
      isRead = tokens < MAX_TOKENS && this.#readToken();
    }
    if (this.#draft.end > 0) this.#endCommand('');
    isRead &&= this.#open === undefined && this.#heredocs.length === 0;
    const isContinued = /^(?:&&|\|\|?)$/.test(this.#before) || this.#line.endsWith('\\');
    return {
      commands: this.#commands,
      isWhole: this.#isWhole && isRead,
      isComplete: isRead && this.#depth === 0 && !isContinued,
      isLiteral: this.#isLiteral,
    };
  }

  /** Returns false for a token that cannot be read. */
  #readToken(): boolean {
    const start = this.#at;
    LINE_TOKEN.lastIndex = start;
    const token = LINE_TOKEN.exec(this.#line)?.groups;
    if (token === undefined) return this.#readWord();
    this.#at = LINE_TOKEN.lastIndex;
    const { blank, skipped, newline, descriptor = '', operator, joint } = token;
    if (blank !== undefined) return true;
    if (skipped !== undefined) {
      this.#isLiteral = false;
      return true;
    }
    if (this.#open !== undefined) return false;
    if (operator !== undefined) {
      this.#open = { descriptor, operator };
      this.#extendDraft(start);
      return true;
    }
    if (newline !== undefined) return this.#endLine();
    if (joint !== undefined) {
      this.#endCommand(joint === '|&' ? '|' : (joint as Joint));
      return true;
    }
    // After words, `(` defines a function.
    return (token.group === ')' || this.#draft.end === 0) && this.#leaveList(token.group ?? '');
  }

  #readWord(): boolean {
    // 1. The target of a redirection. After `>&` a dash is a word of its own: `>&-x` has the argument x.
    const isDash = /^[<>]&$/.test(this.#open?.operator ?? '') && this.#line[this.#at] === '-';
    const word = isDash
      ? { text: '-', written: '-', isLiteral: true, start: this.#at }
      : readWord(this.#line, this.#at);
    if (word === undefined) return false;
    this.#at += word.written.length;
    if (this.#open !== undefined) return this.#redirect(this.#open, word);
    // 2. A keyword, or an assignment, before the first word of a command.
    const { words, assignments } = this.#draft;
    const { written } = word;
    const isFirst = words.length === 0;
    if (isFirst && UNREAD.test(written)) return false;
    if (isFirst && GROUP.test(written)) return this.#leaveList(written);
    const isAssignment = isFirst && ASSIGNMENT.test(written);
    // 3. A word of the command. A bracket alone is no pattern. `time` is a keyword before a command.
    const isBracket = written === (words[0]?.written === '[' ? ']' : '[');
    const isLiteral = (word.isLiteral || isBracket) && !(isFirst && written === 'time');
    this.#isLiteral &&= isLiteral && !isAssignment;
    (isAssignment ? assignments : words).push({ ...word, isLiteral });
    this.#extendDraft(word.start);
    return true;
  }

  #redirect(open: Omit<Redirection, 'target'>, target: Word): boolean {
    const redirection = { ...open, target };
    this.#open = undefined;
    this.#isLiteral &&= target.isLiteral;
    this.#draft.redirections.push(redirection);
    this.#extendDraft(target.start);
    if (!HEREDOC.test(open.operator)) return true;
    this.#heredocs.push(redirection);
    return DELIMITER.test(target.written);
  }

  /** @param start of the token that is added. */
  #extendDraft(start: number): void {
    const draft = this.#draft;
    if (draft.end === 0) draft.start = start;
    draft.end = this.#at;
  }

  #endCommand(after: Joint): void {
    const { start, end, isCommand, ...parts } = this.#draft;
    if (end > 0 && isCommand) {
      const text = this.#line.slice(start, end);
      this.#commands.push({ ...parts, start, text, before: this.#before, after });
    }
    if (end > 0) this.#draft = new CommandDraft();
    this.#before = after;
  }

  /** For a group or a keyword: the line is no plain list. */
  #leaveList(word: string): boolean {
    this.#isWhole = false;
    this.#depth += Number(OPENS.test(word)) - Number(CLOSES.test(word));
    this.#endCommand(';');
    this.#draft.isCommand = word !== 'for';
    return true;
  }

  #endLine(): boolean {
    // After `&&` or a pipe, a newline continues the list.
    if (this.#draft.end > 0) this.#endCommand(';');
    for (const heredoc of this.#heredocs.splice(0)) {
      const end = endOfHeredoc(this.#line, this.#at, heredoc);
      if (end === undefined) return false;
      this.#at = end;
    }
    return true;
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
