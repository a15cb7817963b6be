import type { Writable } from 'node:stream';
import { jsonEscape } from '../base/json/fields.ts';
import { orElse } from '../base/system/files.ts';
import { coalesced } from '../lists/coalesced.ts';
import { whenDone } from '../lists/maybe-async.ts';
import { type TaskStore, taskView } from '../tasks/task-store.ts';
import type { TodoList } from '../todo/todo-store.ts';
import type { MessageId } from './jsonl-messages.ts';

const SHORTENED_LENGTH = 4 * 1024 * 1024;

interface JsonFields {
  [field: string]: unknown;
  stdout?: string;
  stderr?: string;
}

const SHOWN = ['id', 'subject', 'activeForm', 'status', 'owner', 'openBlockers'] as const;

/** These fields of an object, in this order. */
export function fieldsOf<T>(from: T, names: readonly (keyof T)[]) {
  return Object.fromEntries(names.map((name) => [name, from[name]]));
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

/** Sends lists to a client, now and after each change, whoever makes it. */
export class ListEvents {
  readonly #lists: { readonly todos: TodoList; readonly tasks: () => TaskStore };
  readonly #write: (event: Record<string, unknown>) => Promise<void>;
  readonly #followed = new Set<string>();

  /** @param write resolves when the client has room for more. */
  constructor(
    lists: { readonly todos: TodoList; readonly tasks: () => TaskStore },
    write: (event: Record<string, unknown>) => Promise<void>,
  ) {
    this.#lists = lists;
    this.#write = write;
  }

  /** A client that does not read gets only the latest state. */
  follow(kind: 'todos' | 'tasks'): void {
    if (this.#followed.has(kind)) return;
    this.#followed.add(kind);
    const list = kind === 'todos' ? this.#todos() : this.#tasks();
    let written: string | undefined;
    const tell = coalesced(async () => {
      const now = list.now();
      if (!now || now.key === written) return;
      written = now.key;
      await this.#write({ event: kind, ...now.fields });
    });
    list.document.onChange(() => void tell());
    // A list on a server is unknown until it is read. The command that needs it will report an error.
    const read = orElse(() => list.document.recent(), undefined);
    void Promise.resolve(whenDone<unknown, void>(read, tell)).catch(() => {});
  }

  #todos() {
    const { todos } = this.#lists;
    const read = () => {
      const { items, version, updatedAt } = todos.get();
      return { key: String(version), fields: { todos: items, version, updatedAt } };
    };
    // The command that needs the list will report the error.
    const now = () => orElse(read, undefined);
    return { document: todos, now };
  }

  #tasks() {
    const document = this.#lists.tasks();
    const view = taskView(document);
    const now = () => {
      const tasks = view.rows().map((row) => fieldsOf(row, SHOWN));
      return { key: JSON.stringify(tasks), fields: { tasks } };
    };
    return { document, now };
  }
}
