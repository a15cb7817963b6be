import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { delimiter, join } from 'node:path';
import {
  type AgentBashHandler,
  type CommandResult,
  executeSafely,
  type Invocation,
} from '../command/agent-command.ts';
import { AgentCall } from './agent-call.ts';
import script from './agent-command.sh';
import { randomHex } from './random-hex.ts';

/** What follows the name of an agent command on a line, as it was typed. */
export interface RawArguments {
  name: string;
  text: string;
}

export interface AgentCommandHostOptions {
  /** A directory that only this user can enter. */
  directory: string;
  /** The bash that runs the commands' scripts. */
  bash: string;
  handlers: ReadonlyMap<string, AgentBashHandler>;
}

// So many callers may be connected and not yet have said who they are; the longest silent one makes room for the next.
const STRANGERS_LIMIT = 512;

/**
 * Makes agent commands exist inside a bash: a directory for its PATH holds one small bash script a command, which hands
 * its arguments and standard input over a loopback connection to the handler in this process.
 *
 * Only who presents the key is answered. It is in a file that this user alone can read, and nowhere else.
 */
export class AgentCommandHost {
  /** Given to each call of the command that it names: the line that bash runs now, as it was typed. */
  rawArguments: RawArguments | undefined;

  readonly #options: AgentCommandHostOptions;
  readonly #server: Server;
  readonly #key = randomHex(32);
  // Connected, but without a whole request yet; the oldest first.
  readonly #strangers = new Set<AgentCall>();
  readonly #callers = new Set<AgentCall>();
  #port = 0;

  private constructor(options: AgentCommandHostOptions) {
    this.#options = options;
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      this.#accept(socket),
    );
  }

  static start(options: AgentCommandHostOptions): Promise<AgentCommandHost> {
    const host = new AgentCommandHost(options);
    return new Promise((resolve, reject) => {
      host.#server.once('error', reject);
      host.#server.listen(0, '127.0.0.1', 4096, () => {
        const address = host.#server.address();
        host.#port = typeof address === 'object' && address ? address.port : 0;
        host.#server.unref();
        host.writeFiles();
        resolve(host);
      });
    });
  }

  /** `env` with the agent commands first on its PATH. */
  environment(
    env: Readonly<Record<string, string | undefined>>,
  ): Record<string, string | undefined> {
    const path = [join(this.#options.directory, 'bin'), env.PATH].filter(Boolean).join(delimiter);
    return { ...env, PATH: path };
  }

  /** Writes what is not there yet: the scripts of newly registered commands, or everything if someone deleted it. */
  writeFiles(): void {
    const { directory, bash, handlers } = this.#options;
    const bin = join(directory, 'bin');
    for (const name of handlers.keys()) {
      const file = join(bin, name);
      if (!existsSync(file)) {
        mkdirSync(bin, { recursive: true, mode: 0o700 });
        writeFileSync(file, `#!${bash} -p\n${script}`, { mode: 0o700 });
      }
    }
    const hostFile = join(directory, 'host');
    if (!existsSync(hostFile)) {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      writeFileSync(hostFile, `${this.#port} ${this.#key}\n`, { mode: 0o600 });
    }
  }

  /** Ends all connections. Callers that wait say that their agent shell is gone. */
  async dispose(): Promise<void> {
    for (const call of [...this.#strangers, ...this.#callers]) {
      call.end();
    }
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #accept(socket: Socket): void {
    const call = new AgentCall(socket, this.#key);
    const [oldest] = this.#strangers;
    if (oldest && this.#strangers.size >= STRANGERS_LIMIT) {
      oldest.end();
    }
    this.#strangers.add(call);
    call.onRequest = async (name, invocation) => {
      this.#strangers.delete(call);
      this.#callers.add(call);
      call.reply(await this.#execute(name, invocation));
    };
    call.onEnd = () => {
      this.#strangers.delete(call);
      this.#callers.delete(call);
    };
  }

  async #execute(name: string, invocation: Invocation): Promise<CommandResult> {
    const handler = this.#options.handlers.get(name);
    if (!handler) {
      return { stdout: '', stderr: `${name}: not an agent command\n`, exitCode: 127 };
    }
    const raw = this.rawArguments;
    return executeSafely(
      handler,
      raw?.name === name ? { ...invocation, raw: raw.text } : invocation,
    );
  }
}
