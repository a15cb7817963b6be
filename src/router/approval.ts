/** What is asked before a line runs in bash. */
export interface ApprovalRequest {
  /** The line as bash would run it. */
  readonly line: string;
  /**
   * The simple commands of the line in order, each as its words without quotes, up to the first word that only bash can
   * know. If `isCertain` is false, there may be more.
   */
  readonly commands: readonly (readonly string[])[];
  /**
   * Whether `commands` are everything that the text of the line runs or changes: it is a list of programs, agent commands and
   * a few builtins that assign and evaluate nothing, in literal words, without a redirection other than to /dev/null or
   * between its outputs.
   */
  readonly isCertain: boolean;
  /** The directory in which the line would run. */
  readonly cwd: string;
  /** The agent whose line it is, if the router knows. */
  readonly agent?: string;
  /** Aborted when nobody waits for the answer any more: the line was cancelled, or the router disposed. */
  readonly signal: AbortSignal;
}

/** The answer to one request. `allow` and `deny` alone mean `{ approve: 'allow' }` and `{ approve: 'deny' }`. */
export type Approval =
  | 'allow'
  | 'deny'
  | {
      readonly approve: 'allow';
      /** What to run instead of the line, without another question. */
      readonly line?: string;
      /** Beginnings of commands that `allowList` allows from now on. */
      readonly remember?: string | readonly CommandPrefix[];
    }
  | {
      readonly approve: 'deny';
      /** What the agent is told. */
      readonly reason?: string;
      /** Beginnings of commands that `denyList` denies from now on. */
      readonly remember?: string | readonly CommandPrefix[];
    };

/** The first words of a command: `npm test`, or `['npm', 'test']`, which may hold blanks. */
export type CommandPrefix = string | readonly string[];

/** Asks a person or a policy about a line. If it throws, or answers anything else, the line is denied. */
export type Approve = (request: ApprovalRequest) => Approval | Promise<Approval>;

/** The outcome of a question: the line that may run, why it may not, or that nobody waits any more. */
export type Decision = { readonly line: string } | { readonly denied: string } | 'cancelled';

/**
 * Asks one question at a time, in the order in which they came, however many routers ask: a person answers them one by
 * one.
 */
export class Questions {
  #last: Promise<unknown> = Promise.resolve();

  /** Never rejects. @param signals each of them ends the question. */
  async ask(
    approve: Approve,
    request: Omit<ApprovalRequest, 'signal'>,
    signals: readonly (AbortSignal | undefined)[],
  ): Promise<Decision> {
    const controller = new AbortController();
    const { signal } = controller;
    const ended = new Promise((resolve) => signal.addEventListener('abort', resolve));
    const end = () => controller.abort();
    for (const other of signals) {
      if (other?.aborted) end();
      other?.addEventListener('abort', end);
    }
    const before = this.#last;
    const answered = Promise.race([before, ended])
      .then(() =>
        signal.aborted ? undefined : Promise.race([approve({ ...request, signal }), ended]),
      )
      .then(
        (answer) => (signal.aborted ? 'cancelled' : decisionOf(answer, request.line)),
        (error) =>
          signal.aborted ? 'cancelled' : { denied: `the question failed: ${textOf(error)}` },
      );
    this.#last = Promise.all([before, answered]);
    try {
      return await answered;
    } finally {
      for (const other of signals) other?.removeEventListener('abort', end);
    }
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function decisionOf(answer: unknown, asked: string): Decision {
  const {
    approve,
    line = asked,
    reason,
  } = (typeof answer === 'string' ? { approve: answer } : (answer ?? {})) as Record<
    string,
    unknown
  >;
  if (approve === 'allow' && typeof line === 'string') return { line };
  if (approve === 'deny')
    return { denied: (typeof reason === 'string' && reason.trim()) || NO_REASON };
  return { denied: `the answer was neither 'allow' nor 'deny'` };
}

const NO_REASON = 'the user did not allow it';
