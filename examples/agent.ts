// A whole agent: the AI SDK's loop over one bash, a list that its user watches, permission for what it runs, helpers with
// lists of their own, and a memory that is cut while the list stays.
//
//   npm install ./todowrite-0.1.0.tgz ai zod @ai-sdk/anthropic tsx
//   MODEL=anthropic/claude-sonnet-4-5 ANTHROPIC_API_KEY=... npx tsx agent.ts 'Fix the failing test'
import { createInterface } from 'node:readline/promises';
import { generateText, type LanguageModel, pruneMessages, stepCountIs, tool } from 'ai';
import { allowList, BashRouter, commandText, listInContext, systemPrompt } from 'todowrite';
import { z } from 'zod';

const [provider = '', id] = (process.env.MODEL ?? 'anthropic/claude-sonnet-4-5').split('/');
const model: LanguageModel = (await import(`@ai-sdk/${provider}`))[provider](id);
const remembered = Number(process.env.MEMORY ?? 40);
const keyboard = createInterface({ input: process.stdin });

/** The terminal must not show another line than the one that runs, nor a line of it as ours. */
const visible = (line: string) =>
  line
    .split('\n')
    .map((text) => commandText(text))
    .join('\n> ');

/** Asks the person; `a` is yes to such commands from now on. */
const approve = allowList(['cat', 'git diff', 'git status', 'ls'], async (request) => {
  const { line, commands, isCertain, agent = 'the agent', signal } = request;
  show(
    `May ${agent} run this? ${visible(line)}\n[y]es${isCertain ? ', [a]lways' : ''}, or why not: `,
  );
  const answer = await keyboard.question('', { signal });
  if (isCertain && answer === 'a') return { approve: 'allow', remember: commands };
  return answer === 'y' ? 'allow' : { approve: 'deny', reason: answer };
});
const lead = new BashRouter({ panel: process.stdout, approve, reminders: 'stderr' });
const show = (text: Uint8Array | string) => lead.panel?.write(text);

/** Does a job, and returns what the agent says at its end. */
async function work(job: string, router: BashRouter): Promise<string> {
  const bash = tool({
    description: 'Runs a command line in a bash that lasts',
    inputSchema: z.object({ command: z.string() }),
    execute: async ({ command }, { abortSignal: signal }) => {
      show(`$ ${visible(command)}\n`);
      const options = { signal, onStdout: show, onStderr: show, maxOutputBytes: 30_000 };
      const { stdout, stderr, exitCode } = await router.route(command, options);
      return `${stdout}${stderr}Exit code ${exitCode}`;
    },
  });
  const helper = tool({
    description: 'Gives a part of the job to a helper, which has a list of its own',
    inputSchema: z.object({ name: z.string(), job: z.string() }),
    execute: (part) => {
      const child = router.child({ agent: part.name });
      return work(part.job, child).finally(() => child.dispose());
    },
  });
  const { text } = await generateText({
    model,
    system: systemPrompt({ commands: router.commands }),
    prompt: job,
    // A helper has none itself.
    tools: router === lead ? { bash, helper } : { bash },
    stopWhen: stepCountIs(200),
    prepareStep: ({ messages: all }) => {
      const toolCalls = `before-last-${remembered}-messages` as const;
      const messages = pruneMessages({ messages: all, toolCalls });
      const content = listInContext(router.store?.get().items ?? []);
      // The call that wrote the list may be among those that are forgotten.
      if (content && messages.length < all.length) messages.splice(1, 0, { role: 'user', content });
      return { messages };
    },
  });
  return text;
}

show(`${await work(process.argv.slice(2).join(' '), lead)}\n`);
await lead.dispose();
keyboard.close();
