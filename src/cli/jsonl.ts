import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Approval, ApprovalRequest } from '../shell/router/approval.ts';
import type { BashRouter } from '../shell/router/bash-router.ts';
import type { RouteResult } from '../shell/router/router-options.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import type { TodoList } from '../todo/todo-store.ts';
import {
  type JsonAnswer,
  type JsonRequest,
  type MessageId,
  readJsonMessage,
  type SessionOptions,
  splitLines,
} from './jsonl-messages.ts';
import { JsonlOutput } from './jsonl-output.ts';
import { fieldsOf, ListEvents } from './list-events.ts';

const MAX_BLANK = 1024;

// Beyond this backlog we stop reading from the client until it has caught up.
const MAX_PENDING_BYTES = 64 * 1024 * 1024;

/** By default, a result repeats this much of streamed output. */
const STREAMED_BYTES = 1024 * 1024;

const OFFERED = ['name', 'summary', 'inputSchema', 'isReadOnly', 'isConcurrencySafe'] as const;

export interface JsonlServer {
  readonly router: BashRouter;
  readonly input: Readable;
  readonly output: Writable;
  readonly version: string;
  readonly todos: TodoList;
  readonly tasks: () => TaskStore;
}

/**
 * Serves one client: for each request line one result line, in order, until the end of input.
 *
 *     {"id":1,"command":"echo hi","timeoutMs":30000}
 *     {"id":1,"type":"native_shell_command","stdout":"hi\n","stderr":"","exitCode":0,"durationMs":0.4}
 *
 * docs/jsonl.md has the rest: streamed output, cancels, approvals, lists as events. A line that is none of these gets
 * `{"id":null,"error":"..."}`; a blank line gets nothing.
 */
export async function serveJsonl(server: JsonlServer): Promise<void> {
  const session = new JsonlSession(server);
  try {
    for await (const line of splitLines(server.input)) {
      if (!isBlankLine(line)) await session.receive(line);
    }
    await session.end();
  } finally {
    await server.router.dispose();
  }
}

function isBlankLine(line: Buffer): boolean {
  return line.length < MAX_BLANK && line.toString().trim() === '';
}

class JsonlSession {
  readonly #server: JsonlServer;
  readonly #output: JsonlOutput;
  readonly #events: ListEvents;
  readonly #pending = new Set<{ readonly id: string; readonly controller: AbortController }>();
  #pendingBytes = 0;
  /** Resolves when the client may be read from again. */
  #caughtUp = () => {};
  #last: Promise<void> = Promise.resolve();
  #asks = false;
  /** The request that waits for an approval. */
  #question: { id: string; answer: (answer: Approval) => void } | undefined;
  #hasEnded = false;

  constructor(server: JsonlServer) {
    this.#server = server;
    this.#output = new JsonlOutput(server.output);
    this.#events = new ListEvents(server, (event) => this.#output.write(undefined, event));
  }

  /** Resolves when the next line may come. */
  async receive(line: Buffer): Promise<void> {
    const message = readJsonMessage(line);
    switch (message.kind) {
      case 'cancel':
        for (const { id, controller } of this.#pending) {
          if (id === message.id.text) controller.abort();
        }
        return;
      case 'answer':
        return this.#answer(message.id, message.answer);
      case 'options':
        this.#afterOthers(line, () => this.#set(message.options));
        break;
      case 'wrong': {
        const tell = () => this.#output.write(message.id ?? null, { error: message.problem });
        // A broken answer or cancel must get its error now: the lines before it may be waiting for it.
        if (message.isUrgent || this.#question !== undefined) return tell();
        this.#afterOthers(line, tell);
        break;
      }
      case 'request': {
        const entry = { id: message.id.text, controller: new AbortController() };
        this.#pending.add(entry);
        this.#afterOthers(line, async () => {
          try {
            await this.#run(message.id, message.request, entry.controller.signal);
          } finally {
            this.#pending.delete(entry);
          }
        });
      }
    }
    // The answer to a question must get through, whatever was sent before.
    if (this.#pendingBytes > MAX_PENDING_BYTES && this.#question === undefined) {
      await new Promise<void>((resolve) => {
        this.#caughtUp = resolve;
      });
    }
  }

  /** Call this at the end of the input: no answers will come. Resolves when all requests are done. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    this.#question?.answer(ANSWERS_END);
    await this.#last;
  }

  #afterOthers(line: Buffer, work: () => Promise<void>): void {
    this.#pendingBytes += line.length;
    this.#last = this.#last.then(work).catch(() => {});
    void this.#last.then(() => {
      this.#pendingBytes -= line.length;
      if (this.#pendingBytes <= MAX_PENDING_BYTES) this.#caughtUp();
    });
  }

  async #set({ hello, approve = this.#asks, events = [] }: SessionOptions): Promise<void> {
    this.#asks = approve;
    if (hello) {
      const { router, version } = this.#server;
      const commands = router.commands.map((command) => fieldsOf(command, OFFERED));
      await this.#output.write(undefined, { event: 'hello', version, commands });
    }
    for (const kind of events) this.#events.follow(kind);
  }

  async #run(id: MessageId, request: JsonRequest, signal: AbortSignal): Promise<void> {
    const { command, timeoutMs, stream, maxOutputBytes, reminders: place } = request;
    const start = performance.now();
    const outputs = stream
      ? { stdout: this.#streamed(id, 'stdout'), stderr: this.#streamed(id, 'stderr') }
      : undefined;
    const { router } = this.#server;
    const { reminders, ...result } = await router
      .route(command, {
        timeoutMs,
        signal,
        maxOutputBytes: maxOutputBytes ?? (stream ? STREAMED_BYTES : undefined),
        onStdout: outputs?.stdout.write,
        onStderr: outputs?.stderr.write,
        reminders: place,
        approve: this.#asks ? (asked) => this.#ask(id, asked) : undefined,
      })
      .catch((error: Error) => failedResult(router, command, error));
    await outputs?.stdout.end();
    await outputs?.stderr.end();
    const durationMs = Math.round((performance.now() - start) * 100) / 100;
    await this.#output.write(id, { ...result, durationMs, reminders });
  }

  /** Streams one output in whole characters. */
  #streamed(id: MessageId, event: 'stdout' | 'stderr') {
    const decoder = new StringDecoder('utf8');
    const write = (chunk: string) =>
      chunk === '' ? undefined : this.#output.write(id, { event, chunk });
    return {
      write: (chunk: Buffer) => write(decoder.write(chunk)),
      end: () => write(decoder.end()),
    };
  }

  async #ask(id: MessageId, asked: ApprovalRequest): Promise<Approval> {
    const { line: command, commands, isCertain, agentCommands = [], cwd, signal } = asked;
    if (this.#hasEnded) return ANSWERS_END;
    const answered = new Promise<Approval>((resolve) => {
      this.#question = { id: id.text, answer: resolve };
      signal.addEventListener('abort', () => resolve('deny'));
    });
    this.#caughtUp();
    const question = { command, commands, isCertain, agentCommands, cwd };
    await this.#output.write(id, { event: 'approve', ...question });
    try {
      return await answered;
    } finally {
      this.#question = undefined;
    }
  }

  async #answer({ text }: MessageId, { approve, reason, command }: JsonAnswer): Promise<void> {
    if (this.#question?.id !== text) {
      const error = `There is no question about id ${text.slice(0, 100)}: it was answered, cancelled or never asked`;
      return this.#output.write(null, { error });
    }
    const { answer } = this.#question;
    this.#question = undefined;
    if (approve === 'allow') answer({ approve, line: command });
    else answer({ approve, reason });
  }
}

/** A request always gets a result. */
function failedResult(router: BashRouter, command: string, { message }: Error): RouteResult {
  const type = router.identifyCommandType(command);
  return { type, stdout: '', stderr: `agent-shell: ${message}\n`, exitCode: 1 };
}

const ANSWERS_END: Approval = { approve: 'deny', reason: 'the input ended before an answer came' };
