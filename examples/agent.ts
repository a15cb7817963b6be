// A whole agent: the AI SDK's loop over one bash, a list that its user watches, permission for what it runs, helpers with
// lists of their own, and a memory that is cut while the list stays.
//
//   npm install todowrite ai zod @ai-sdk/anthropic tsx
//   MODEL=anthropic/claude-sonnet-4-5 ANTHROPIC_API_KEY=... npx tsx agent.ts 'Fix the failing test'
import { createInterface, type Interface } from 'node:readline/promises';
import { pathToFileURL } from 'node:url';
import { generateText, type LanguageModel, type ModelMessage, stepCountIs, tool } from 'ai';
import { type Approve, allowList, BashRouter, listInContext, systemPrompt } from 'todowrite';
import { z } from 'zod';

/** Does a job, and gives what the agent says at its end. The model sees the last `memory` messages. */
export async function runAgent(job: string, model: LanguageModel, router: BashRouter, memory = 40) {
  const show = (chunk: Uint8Array | string) => router.panel?.write(chunk);
  const bash = tool({
    description: 'Runs a command line in a bash that lasts',
    inputSchema: z.object({ command: z.string() }),
    execute: async ({ command }, { abortSignal: signal }) => {
      show(`$ ${command}\n`);
      const options = { signal, onStdout: show, onStderr: show, maxOutputBytes: 30_000 };
      const { stdout, stderr, exitCode, reminders = [] } = await router.route(command, options);
      return [stdout + stderr, ...reminders, `Exit code ${exitCode}`].join('\n');
    },
  });
  const helper = tool({
    description: 'Gives a part of the job to a helper, which has a list of its own',
    inputSchema: z.object({ name: z.string(), job: z.string() }),
    execute: ({ name: agent, job: part }): Promise<string> => {
      const child = router.child({ agent });
      return runAgent(part, model, child, memory).finally(() => child.dispose());
    },
  });
  const remembered = (messages: ModelMessage[]): ModelMessage[] => {
    const last = messages.slice(-memory);
    if (last.length === messages.length) return messages;
    // The result of a tool means nothing without its call.
    const whole = last.slice(last.findIndex(({ role }) => role === 'assistant'));
    const list = listInContext(router.store?.get().items ?? []) || 'You have no list yet.';
    return [...messages.slice(0, 1), { role: 'user', content: list }, ...whole];
  };
  const { text } = await generateText({
    model,
    system: systemPrompt({ commands: router.commands }),
    prompt: job,
    tools: { bash, helper },
    stopWhen: stepCountIs(200),
    prepareStep: ({ messages }) => ({ messages: remembered(messages) }),
  });
  return text;
}

/** Asks the person at the keyboard; `a` is yes to such commands from now on. */
export function askAt(keyboard: Interface, show: (text: string) => void): Approve {
  return allowList(['cat', 'git diff', 'git status', 'ls'], async (request) => {
    const { line, commands, isCertain, agent = 'the agent', signal } = request;
    show(`May ${agent} run this? ${line}\n[y]es${isCertain ? ', [a]lways' : ''}, or why not: `);
    const answer = await keyboard.question('', { signal });
    if (isCertain && answer === 'a') return { approve: 'allow', remember: commands };
    return answer === 'y' ? 'allow' : { approve: 'deny', reason: answer };
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [provider = '', id] = (process.env.MODEL ?? 'anthropic/claude-sonnet-4-5').split('/');
  const model: LanguageModel = (await import(`@ai-sdk/${provider}`))[provider](id);
  const keyboard = createInterface({ input: process.stdin });
  const show = (text: string) => router.panel?.write(text);
  const router = new BashRouter({ panel: process.stdout, approve: askAt(keyboard, show) });
  show(`${await runAgent(process.argv.slice(2).join(' '), model, router)}\n`);
  await router.dispose();
  keyboard.close();
}
