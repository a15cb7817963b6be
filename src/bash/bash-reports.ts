import type { BashChannels } from './bash-channels.ts';
import {
  evaluateCommand,
  type HeldSettings,
  parseReport,
  preludeCommand,
  preludeText,
  REPORT_FIELDS,
  type Report,
  reportCommand,
} from './control-commands.ts';

/**
 * How a line ended, and whether bash ended with it, or even before it; what there is to say, or the reason for which it
 * must be ended.
 */
export type Ending = { exitCode: number; alive: true; cwd: string; note?: string } | Gone;

interface Gone {
  exitCode: number;
  alive: false;
  isBefore?: boolean;
  note?: string | undefined;
  reason?: string;
}

/** What bash has told of itself, and whether its builtins had to be given back to it before it could. */
type Told = Report & { isRescued: boolean };

/** A line to evaluate. */
export interface Evaluation {
  /** `$?` at the start of the line. */
  lastExitCode: number;
  /** The file that is the line's standard input; bash's own, which is empty, unless given. */
  stdin: string | undefined;
}

export interface BashReportsOptions {
  readonly channels: BashChannels;
  /** Where bash reports. */
  readonly statusFd: number;
  /** What is set, but off until the first line. */
  readonly held: HeldSettings;
  /** Whether BASH_ENV or SHELLOPTS may have set more than that. */
  readonly maySetMore: boolean;
  /** How bash ended, the commands that it had not read, and why it could not be started; undefined while it runs. */
  readonly end: () =>
    | { exitCode: number; unread: string; startError: string | undefined }
    | undefined;
}

/** Has bash evaluate lines, and hears from it how each one ended. Between lines, what the user has set is off. */
export class BashReports {
  readonly #options: BashReportsOptions;
  #held: HeldSettings;
  #maySetMore: boolean;
  /** The version of bash, from its first report on. */
  #version: string | undefined;

  constructor(options: BashReportsOptions) {
    this.#options = options;
    this.#held = options.held;
    this.#maySetMore = options.maySetMore;
  }

  /** What the user has set that is off between two lines. */
  get held(): HeldSettings {
    return this.#held;
  }

  /** Evaluates one line, which may hold newlines. The one before it must have ended. */
  async evaluate(line: string, { lastExitCode, stdin }: Evaluation): Promise<Ending> {
    const beginning = this.#maySetMore ? await this.#begin() : undefined;
    if (beginning && 'alive' in beginning) return beginning;
    const { channels } = this.#options;
    const prelude = preludeText(this.#held, lastExitCode);
    if (prelude !== '') channels.prelude.write(prelude);
    // The first line is ours, so that it is not seen in the messages of the user's first.
    const first = prelude === '' ? '' : preludeCommand(channels.prelude.path);
    channels.line.write(`${first}\n${line}\n`);
    const told = await this.#report((report) => evaluateCommand(channels.line.path, stdin, report));
    if ('alive' in told) return told;
    const { exitCode, cwd } = told;
    const note = 'functions that hide builtins were removed, and disabled builtins enabled again';
    const isRescued = beginning?.isRescued || told.isRescued;
    return { exitCode, alive: true, cwd, ...(isRescued ? { note } : {}) };
  }

  /** Lets bash report once before its first line, which switches off what BASH_ENV and SHELLOPTS have set. */
  async #begin(): Promise<Told | Gone> {
    this.#maySetMore = false;
    const told = await this.#report((report) => report);
    if (!('alive' in told)) return told;
    const reason =
      'the line was not run: bash runs no commands with what BASH_ENV or SHELLOPTS set';
    return told.reason === undefined
      ? { ...told, isBefore: told.note === undefined }
      : { ...told, exitCode: 1, reason };
  }

  /** Gives bash commands that end with a report, and waits for that. */
  async #report(commands: (report: string) => string): Promise<Told | Gone> {
    const { channels, statusFd } = this.#options;
    let report = '';
    const fields = await channels.questions.ask(REPORT_FIELDS, (nonce) => {
      report = reportCommand(nonce, statusFd, this.#version);
      channels.command(commands(report));
      return report;
    });
    channels.drain();
    if (fields) {
      const told = parseReport(fields);
      this.#held = told.held;
      this.#version ??= told.version;
      return { ...told, isRescued: channels.questions.isRescued };
    }
    const end = this.#options.end();
    if (end === undefined) {
      return { exitCode: 0, alive: false, reason: 'bash no longer runs commands' };
    }
    const { exitCode, unread, startError: note } = end;
    // It may have read some of the command. A report that is asked for again is a line of its own.
    const isBefore = note === undefined && unread.includes(`;${report}`);
    return { exitCode, alive: false, isBefore, note };
  }
}
