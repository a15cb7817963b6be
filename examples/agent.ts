// A whole agent: the AI SDK's loop over one bash, a list that its user watches, permission for what it runs, helpers with
// lists of their own, and a memory that is cut while the list stays.
//
//   npm install todowrite ai zod @ai-sdk/anthropic tsx
//   MODEL=anthropic/claude-sonnet-4-5 ANTHROPIC_API_KEY=... npx tsx agent.ts 'Fix the failing test'
import { createInterface } from 'node:readline/promises';
import { pathToFileURL } from 'node:url';
import { generateText, type LanguageModel, type ModelMessage, stepCountIs, tool } from 'ai';
import {
  BashRouter,
  CommandType,
  listInContext,
  systemPrompt,
  TaskPanel,
  TodoReadHandler,
  TodoStore,
  TodoWriteHandler,
} from 'todowrite';
import { z } from 'zod';

/** What an agent needs of the program that runs it. */
export interface Host {
  model: LanguageModel;
  /** Whether a line may run in bash; the agent's own list is always its to write. */
  approve: (line: string) => Promise<boolean>;
  print: (text: string) => void;
  /** How many of its last messages the model still sees. */
  memory: number;
}

/** Does a job, and gives what the agent says at its end. */
export async function runAgent(job: string, host: Host, store = new TodoStore()): Promise<string> {
  const handlers = [new TodoWriteHandler(store), new TodoReadHandler(store)];
  const router = new BashRouter({ handlers });
  const bash = tool({
    description: 'Runs a command line in a bash that lasts',
    inputSchema: z.object({ command: z.string() }),
    execute: async ({ command }) => {
      const isOwn = router.identifyCommandType(command) === CommandType.AGENT_SHELL_COMMAND;
      if (!isOwn && !(await host.approve(command))) return 'Exit code 126: the user says no';
      const { stdout, stderr, exitCode, reminders = [] } = await router.route(command);
      host.print(`$ ${command}\n${stdout}${stderr}`);
      return [stdout + stderr, ...reminders, `Exit code ${exitCode}`].join('\n');
    },
  });
  const helper = tool({
    description: 'Gives a part of the job to a helper, which has a list of its own',
    inputSchema: z.object({ job: z.string() }),
    execute: (part) => runAgent(part.job, host),
  });
  const remembered = (messages: ModelMessage[]): ModelMessage[] => {
    const last = messages.slice(-host.memory);
    if (last.length === messages.length) return messages;
    // The result of a tool means nothing without its call.
    const whole = last.slice(last.findIndex(({ role }) => role === 'assistant'));
    const list = listInContext(store.get().items) || 'You have no list yet.';
    return [...messages.slice(0, 1), { role: 'user', content: list }, ...whole];
  };
  try {
    const { text } = await generateText({
      model: host.model,
      system: systemPrompt({ commands: router.commands }),
      prompt: job,
      tools: { bash, helper },
      stopWhen: stepCountIs(200),
      prepareStep: ({ messages }) => ({ messages: remembered(messages) }),
    });
    return text;
  } finally {
    await router.dispose();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [provider = '', id] = (process.env.MODEL ?? 'anthropic/claude-sonnet-4-5').split('/');
  const model: LanguageModel = (await import(`@ai-sdk/${provider}`))[provider](id);
  const store = new TodoStore();
  const panel = new TaskPanel({ store, stream: process.stdout, env: process.env });
  const keyboard = createInterface({ input: process.stdin });
  const print = (text: string) => panel.write(text);
  const approve = async (line: string) => {
    print(`May it run this? ${line} [y/N] `);
    return /^y/i.test(await keyboard.question(''));
  };
  const job = process.argv.slice(2).join(' ');
  print(`${await runAgent(job, { model, approve, print, memory: 40 }, store)}\n`);
  keyboard.close();
  panel.dispose();
}
