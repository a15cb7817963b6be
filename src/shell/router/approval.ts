import { isDeepStrictEqual } from 'node:util';
import { mustHave } from '../../base/given.ts';
import { exactWords } from '../../base/line/certain-line.ts';

/** The question before a line runs in bash. */
export interface ApprovalRequest {
  /** The line as bash would run it. */
  readonly line: string;
  /**
   * The simple commands of the line in order, each as its words without quotes, up to the first word that only bash can expand.
   * If `isCertain` is false, there may be more.
   */
  readonly commands: readonly (readonly string[])[];
  /**
   * True if the line runs and changes nothing but `commands`: it is a list of programs, agent commands and a few builtins that
   * assign and evaluate nothing, in literal words, with redirections only to /dev/null or between its outputs.
   */
  readonly isCertain: boolean;
  /**
   * The names among `commands` that certainly mean agent commands, except TodoProve and TaskProve, which run programs; none if
   * `isCertain` is false.
   */
  readonly agentCommands?: readonly string[];
  /** The directory in which the line would run. */
  readonly cwd: string;
  /** The agent of the router. */
  readonly agent?: string;
  /** Aborted when the line is cancelled, or the router disposed. */
  readonly signal: AbortSignal;
}

/** The answer to one request. `allow` and `deny` alone mean `{ approve: 'allow' }` and `{ approve: 'deny' }`. */
export type Approval =
  | 'allow'
  | 'deny'
  | {
      readonly approve: 'allow';
      /** A line to run instead, without another question. */
      readonly line?: string;
      /** Prefixes that `allowList` allows from now on. */
      readonly remember?: string | readonly CommandPrefix[];
    }
  | {
      readonly approve: 'deny';
      /** The reason, for the agent. */
      readonly reason?: string;
      /** Prefixes that `denyList` denies from now on. */
      readonly remember?: string | readonly CommandPrefix[];
    };

/** The first words of a command: `npm test`, or `['npm', 'test']`, which may hold blanks. */
export type CommandPrefix = string | readonly string[];

/**
 * Asks a person or a policy about a line. If it throws, or answers anything else, the line is denied. (TypeScript takes the
 * answer of `async () => 'deny'` for a string, hence `string`.)
 */
export type Approve = (request: ApprovalRequest) => Approval | Promise<Approval | string>;

/**
 * Allows a certain line if each of its commands begins with one of `prefixes`, or is an agent command other than TodoProve and
 * TaskProve; asks `next` about all others. A prefix with a builtin that may assign or evaluate, such as `export`, allows only a
 * line that is exactly this prefix. If `next` allows a line and says what to remember, that is added to the list.
 *
 *     allowList(['git status', 'npm test'], ask)
 *
 * Throws RangeError for a prefix without a word, or with one that bash would expand.
 */
export function allowList(prefixes: string | Iterable<CommandPrefix>, next: Approve): Approve {
  mustHave('allowList', { prefixes, next }, 'prefixes', 'next');
  const list = new PrefixList(prefixes);
  return async (request) => {
    const { line, commands, isCertain, agentCommands = [] } = request;
    const isListed = isCertain
      ? commands.length > 0 &&
        commands.every((words) => agentCommands.includes(words[0] ?? '') || list.find(words))
      : list.has(exactWords(line));
    return isListed ? 'allow' : list.remembered('allow', await next(request));
  };
}

/**
 * Denies a line if one of its commands certainly begins with one of `prefixes`; asks `next` about all others. If `next` denies a
 * line and says what to remember, that is added to the list. Put it before an `allowList`:
 *
 *     denyList(['npm publish'], allowList(['npm test', 'git status'], ask))
 *
 * Throws RangeError for a prefix without a word, or with one that bash would expand.
 */
export function denyList(prefixes: string | Iterable<CommandPrefix>, next: Approve): Approve {
  mustHave('denyList', { prefixes, next }, 'prefixes', 'next');
  const list = new PrefixList(prefixes);
  return async (request) => {
    const found = request.commands.map((words) => list.find(words));
    const denied = found.find((prefix) => prefix !== undefined);
    if (denied === undefined) return list.remembered('deny', await next(request));
    return { approve: 'deny', reason: `'${denied.join(' ')}' is on the deny list` };
  };
}

const NOT_LITERAL = "A prefix is literal words: 'git push', or ['git', 'push'] for any text";

class PrefixList {
  readonly #prefixes: (readonly string[])[] = [];

  constructor(prefixes: string | Iterable<CommandPrefix>) {
    this.#addAll(prefixes);
  }

  find(words: readonly string[]): readonly string[] | undefined {
    return this.#prefixes.find((prefix) => prefix.every((word, at) => words[at] === word));
  }

  /** True if these are all the words of a prefix. */
  has(words: readonly string[] = []): boolean {
    return this.#prefixes.some((prefix) => isDeepStrictEqual(prefix, words));
  }

  /** The answer. If it is of this kind, adds what it says to remember. */
  remembered(kind: 'allow' | 'deny', answer: Approval | string): Approval | string {
    if (typeof answer === 'object' && answer.approve === kind) {
      this.#addAll(answer.remember ?? []);
    }
    return answer;
  }

  /** A string is one prefix, not an iterable of letters. */
  #addAll(prefixes: string | Iterable<CommandPrefix>): void {
    for (const prefix of typeof prefixes === 'string' ? [prefixes] : prefixes) this.#add(prefix);
  }

  #add(prefix: CommandPrefix): void {
    const words = typeof prefix === 'string' ? exactWords(prefix) : [...prefix];
    if (!words?.length) throw new RangeError(`${NOT_LITERAL}, not ${JSON.stringify(prefix)}`);
    this.#prefixes.push(words);
  }
}
