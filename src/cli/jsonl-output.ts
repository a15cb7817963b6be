import type { Writable } from 'node:stream';
import { jsonEscape } from '../base/safe-text.ts';
import type { MessageId } from './jsonl-messages.ts';

const SHORTENED_LENGTH = 4 * 1024 * 1024;

interface JsonFields {
  [field: string]: unknown;
  stdout?: string;
  stderr?: string;
}

export class JsonlOutput {
  readonly #output: Writable;
  /** Resolves when the client has read its backlog. */
  #room: Promise<void> | undefined;

  constructor(output: Writable) {
    this.#output = output;
  }

  /** Resolves when the client has room for more. @param id null if the line belongs to no request, undefined for none. */
  async write(id: MessageId | null | undefined, fields: JsonFields): Promise<void> {
    const output = this.#output;
    const line = toLine(id === null ? 'null' : id?.text, fields);
    if (output.write(`${line}\n`) || output.destroyed) return;
    this.#room ??= roomIn(output).then(() => {
      this.#room = undefined;
    });
    await this.#room;
  }
}

function roomIn(output: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      output.off('drain', done).off('close', done);
      resolve();
    };
    output.on('drain', done).on('close', done);
  });
}

/** Escapes Unicode's line separators, for readers that end lines there. */
function toLine(id: string | undefined, fields: JsonFields): string {
  try {
    const json = JSON.stringify(fields);
    const line = id === undefined ? json : `{"id":${id},${json.slice(1)}`;
    return line.replace(/[\u0085\u2028\u2029]/g, jsonEscape);
  } catch (error) {
    // 64 MiB may not fit into one string once every byte is escaped.
    if (!(error instanceof RangeError)) throw error;
    return toLine(id, {
      ...fields,
      stdout: shortenedText(fields.stdout),
      stderr: shortenedText(fields.stderr),
    });
  }
}

function shortenedText(text = ''): string {
  if (text.length <= SHORTENED_LENGTH) return text;
  const leftOut = text.length - SHORTENED_LENGTH;
  return `${text.slice(0, SHORTENED_LENGTH)}\n[agent-shell: ${leftOut} more characters left out]\n`;
}
