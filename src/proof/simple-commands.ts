/** How a command is joined to its neighbour. A newline is `;`, the start and the end of the line are ''. */
export type Joint = '' | ';' | '&' | '&&' | '||' | '|';

/** One simple command of a line. */
export interface SimpleCommand {
  /** Its words without their quotes; variables stand as they were written. Redirections are left out. */
  readonly words: readonly string[];
  /** The same words as they were written. */
  readonly written: readonly string[];
  /** Whether its input or an output is redirected to a file; /dev/null, other descriptors and heredocs are none. */
  readonly usesFile: boolean;
  /** All of it as it was written, redirections included. */
  readonly text: string;
  readonly before: Joint;
  readonly after: Joint;
}

// One token a match; the alternatives are tried in this order. Nothing here is nested that could backtrack.
const TOKEN = new RegExp(
  [
    /(?<blank>[ \t]+(?:\\\n)*|(?<=^|[\s;&|])#[^\n]*)/,
    /(?<newline>\n)/,
    /(?<redirect>(?:\d+(?=[<>]))?(?:&>>?|<<<|<<-?|<>|[<>]&|>>|>\||[<>])(?!\())/,
    /(?<joint>&&|\|\||\|&?|&|;(?!;))/,
    /(?<word>(?:[^\s'"\\|&;()<>`$]|\$(?![('"])|'[^']*'|"(?:[^"\\`$]|\\[\s\S]|\$(?!\())*"|\\[^\n])+)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'y',
);
/** Heredocs not counted. Hundreds of lines may be read at once, when a list is completed. */
const MAX_TOKENS = 200;
const QUOTED = /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])/g;
const STRUCTURE =
  /^(?:!|\{|\}|\[\[|if|then|elif|else|fi|for|while|until|do|done|case|esac|select|function|coproc)$/;

/**
 * The simple commands of a line, in order. Undefined for a line that is more than a list of them: one with a loop, a
 * group or a command substitution, one whose quotes do not close, or a very long one. It is meant to be sure, not to be
 * complete.
 */
export function simpleCommands(line: string): SimpleCommand[] | undefined {
  const { commands, isWhole } = readCommands(line);
  return isWhole ? commands : undefined;
}

/** The same; of a line that is more than a list of them, those before the place where it becomes more. */
export function readCommands(line: string): { commands: SimpleCommand[]; isWhole: boolean } {
  const commands: SimpleCommand[] = [];
  const heredocs: Heredoc[] = [];
  let written: string[] = [];
  let usesFile = false;
  let before: Joint = '';
  let redirect = '';
  let [start, end] = [0, 0];
  const endCommand = (after: Joint) => {
    if (written.length > 0) {
      const text = line.slice(start, end);
      commands.push({ words: written.map(withoutQuotes), written, usesFile, text, before, after });
    }
    start = end = 0;
    written = [];
    usesFile = false;
    before = after;
  };
  const giveUp = () => {
    endCommand('');
    return { commands, isWhole: false };
  };
  let tokens = 0;
  let isAfterWord = false;
  for (let position = 0; position < line.length; ) {
    if (++tokens > MAX_TOKENS) return giveUp();
    TOKEN.lastIndex = position;
    const token = TOKEN.exec(line);
    if (!token) {
      // The word goes on, in a way that is not read.
      if (isAfterWord) written.pop();
      return giveUp();
    }
    const { newline, joint, word, ...other } = token.groups as Record<string, string | undefined>;
    if (word !== undefined || other.redirect !== undefined) {
      if (end === 0) start = position;
      end = TOKEN.lastIndex;
    }
    position = TOKEN.lastIndex;
    isAfterWord = word !== undefined && redirect === '';
    if (redirect !== '' && (newline ?? joint) !== undefined) return giveUp();
    if (word !== undefined && redirect === '') {
      if (written.length === 0 && STRUCTURE.test(word)) return giveUp();
      written.push(word);
    } else if (word !== undefined) {
      if (/^<<-?$/.test(redirect)) {
        if (!DELIMITER.test(word)) return giveUp();
        heredocs.push({
          delimiter: withoutQuotes(word),
          isQuoted: /['"\\]/.test(word),
          isIndented: redirect === '<<-',
        });
      } else {
        usesFile ||= !isNoFile(redirect, word);
      }
      redirect = '';
    } else if (other.redirect !== undefined) {
      redirect = other.redirect;
    } else if (newline !== undefined) {
      // After `&&` or a pipe a newline only goes on with the list.
      if (written.length > 0) endCommand(';');
      for (const heredoc of heredocs.splice(0)) {
        const end = endOfHeredoc(line, position, heredoc);
        // Such lines are one for bash, and its end of the heredoc another.
        if (!heredoc.isQuoted && line.slice(position, end).includes('\\\n')) return giveUp();
        position = end;
      }
    } else if (joint !== undefined) {
      endCommand(joint === '|&' ? '|' : (joint as Joint));
    }
  }
  endCommand('');
  return { commands, isWhole: true };
}

interface Heredoc {
  readonly delimiter: string;
  /** Whether its text is not expanded. */
  readonly isQuoted: boolean;
  readonly isIndented: boolean;
}

/** The ends of heredocs that are certain. */
const DELIMITER = /^(?:\\?[\w.-]+|'[^'\n]*'|"[^"\\\n]*")$/;

function isNoFile(redirect: string, target: string): boolean {
  if (redirect.endsWith('<<<') || target === '/dev/null') return true;
  return /[<>]&$/.test(redirect) && /^(?:\d+|-)$/.test(target);
}

function endOfHeredoc(line: string, start: number, { delimiter, isIndented }: Heredoc): number {
  for (let from = start; from < line.length; ) {
    const newline = line.indexOf('\n', from);
    const end = newline < 0 ? line.length : newline;
    const text = line.slice(from, end);
    from = end + 1;
    if ((isIndented ? text.replace(/^\t+/, '') : text) === delimiter) return from;
  }
  return line.length;
}

function withoutQuotes(word: string): string {
  return word.replace(
    QUOTED,
    (_, single?: string, double?: string, escaped?: string) => single ?? double ?? escaped ?? '',
  );
}
