/** An event of a harness, in words common to all of them. */
export interface HookEvent {
  /** The harness's own name of the event; an answer may have to repeat it. */
  readonly name: string;
  /** The id of the harness's session. */
  readonly session: string;
  /** The directory of the session; undefined if the harness does not say. */
  readonly directory: string | undefined;
  readonly what: Happening;
}

export type Happening =
  /** The conversation has not seen the list: it begins, is resumed, or was cut. */
  | { readonly kind: 'start' }
  /** The user has said something. */
  | { readonly kind: 'prompt' }
  /** The conversation is about to be cut, and the harness will not report its new start. */
  | { readonly kind: 'cut' }
  /** A command line has ended; the exit code is undefined if the harness does not tell it. */
  | {
      readonly kind: 'command';
      readonly line: string;
      readonly exitCode: number | undefined;
      /** The harness drops what is said of it; it is said after the next line. */
      readonly isUnheard?: true;
    }
  | ({ readonly kind: 'stop' } & Stop)
  /** Nothing that concerns a list. */
  | { readonly kind: 'other' };

/** An agent is about to stop. */
export interface Stop {
  /** It already continues because of a hook. */
  readonly continues: boolean;
  readonly isPlanning: boolean;
  /** Something runs on, or the harness will wake the agent. */
  readonly hasBackgroundWork: boolean;
  /** What it said last. */
  readonly message: string;
}

/** What the hook has to say. */
export interface Reply {
  /** To be added to the conversation. */
  readonly context?: string;
  /** Why the agent should not stop yet. */
  readonly refusal?: string;
}
