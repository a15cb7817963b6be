import type {
  AgentBashHandler,
  CommandResult,
  Invocation,
} from '../../src/base/command/agent-command.ts';
import { sharedSession, type TestSession } from './session.ts';

export interface Call {
  argv: readonly string[];
  stdin: string;
  raw: string | undefined;
  env: Invocation['env'];
}

/**
 * An agent command that records its calls. It reads standard input if its last argument is `-`. A call whose first argument
 * is `wait` is answered at `release()`.
 */
export class TestAgent implements AgentBashHandler {
  readonly calls: Call[] = [];
  readonly name: string;
  release: () => void = () => {};
  readonly #reply: (call: Call) => Partial<CommandResult>;
  readonly #released = new Promise<void>((resolve) => {
    this.release = resolve;
  });

  constructor(reply: (call: Call) => Partial<CommandResult> = () => ({}), name = 'Agent') {
    this.#reply = reply;
    this.name = name;
  }

  async execute({ argv, stdin, raw, env }: Invocation): Promise<CommandResult> {
    const call = { argv, stdin: argv.at(-1) === '-' ? await stdin() : '', raw, env };
    this.calls.push(call);
    if (argv[0] === 'wait') {
      await this.#released;
    }
    return { stdout: '', stderr: '', exitCode: 0, ...this.#reply(call) };
  }
}

/** A session for all tests of a file, in which `Agent` is the command of the running test. */
export function sharedAgentSession(): (agent: TestAgent) => TestSession {
  let current: TestAgent | undefined;
  const execute = (invocation: Invocation) => (current as TestAgent).execute(invocation);
  const session = sharedSession({ handlers: [{ name: 'Agent', execute }] });
  return (agent) => {
    current = agent;
    return session();
  };
}
