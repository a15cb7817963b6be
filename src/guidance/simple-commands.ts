/** How a command is joined to its neighbour. A newline is `;`, the start and the end of the line are ''. */
export type Joint = '' | ';' | '&' | '&&' | '||' | '|';

/** One simple command of a line. */
export interface SimpleCommand {
  /** Its words without their quotes; variables stand as they were written. Redirections are left out. */
  readonly words: readonly string[];
  readonly before: Joint;
  readonly after: Joint;
}

// One token a match; the alternatives are tried in this order. Nothing here is nested that could backtrack.
const TOKEN = new RegExp(
  [
    /(?<blank>[ \t]+|\\\n|(?<=^|[\s;&|])#[^\n]*)/,
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
  const commands: { words: string[]; before: Joint; after: Joint }[] = [];
  const heredocs: { delimiter: string; isIndented: boolean }[] = [];
  let words: string[] = [];
  let before: Joint = '';
  let redirect = '';
  const endCommand = (after: Joint) => {
    if (words.length > 0) commands.push({ words, before, after });
    words = [];
    before = after;
  };
  let tokens = 0;
  for (let position = 0; position < line.length; ) {
    if (++tokens > MAX_TOKENS) return undefined;
    TOKEN.lastIndex = position;
    const token = TOKEN.exec(line);
    if (!token) return undefined;
    position = TOKEN.lastIndex;
    const { newline, joint, word, ...other } = token.groups as Record<string, string | undefined>;
    if (word !== undefined && redirect === '') {
      if (words.length === 0 && STRUCTURE.test(word)) return undefined;
      words.push(withoutQuotes(word));
    } else if (word !== undefined) {
      if (/^<<-?$/.test(redirect)) {
        heredocs.push({ delimiter: withoutQuotes(word), isIndented: redirect === '<<-' });
      }
      redirect = '';
    } else if (other.redirect !== undefined) {
      redirect = other.redirect;
    } else if (newline !== undefined) {
      // After `&&` or a pipe a newline only goes on with the list.
      if (words.length > 0) endCommand(';');
      for (const heredoc of heredocs.splice(0)) position = endOfHeredoc(line, position, heredoc);
    } else if (joint !== undefined) {
      endCommand(joint === '|&' ? '|' : (joint as Joint));
    }
  }
  endCommand('');
  return commands;
}

function endOfHeredoc(
  line: string,
  start: number,
  { delimiter, isIndented }: { delimiter: string; isIndented: boolean },
): number {
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
