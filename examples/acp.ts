// An agent for editors that speak the Agent Client Protocol (Zed, JetBrains, Neovim): its list is the plan that they show, and
// they ask their user about each command line.
//
//   npm install ./todowrite-0.1.0.tgz @agentclientprotocol/sdk ai zod @ai-sdk/anthropic tsx
//   In the editor's settings, as an agent server: npx tsx acp.ts, with MODEL and ANTHROPIC_API_KEY in its environment.
import { randomUUID } from 'node:crypto';
import { Readable, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';
import { generateText, type LanguageModel, type ModelMessage, stepCountIs, tool } from 'ai';
import { type Approve, BashRouter, systemPrompt, TodoStore } from 'todowrite';
import { z } from 'zod';

const [provider = '', id] = (process.env.MODEL ?? 'anthropic/claude-sonnet-4-5').split('/');
const model: LanguageModel = (await import(`@ai-sdk/${provider}`))[provider](id);

/** One conversation: a bash, a list and what was said. */
class Session {
  readonly id = randomUUID();
  readonly #client: acp.AgentContext;
  readonly #router: BashRouter;
  readonly #messages: ModelMessage[] = [];
  #turn = new AbortController();

  constructor(client: acp.AgentContext, cwd: string) {
    const store = new TodoStore();
    this.#client = client;
    this.#router = new BashRouter({ cwd, store, reminders: 'stderr' });
    store.onChange(({ items }) => {
      const entries = items.map(({ content, status, priority = 'medium' }) => ({
        content,
        status,
        priority,
      }));
      this.#update({ sessionUpdate: 'plan', entries });
    });
  }

  /** Works until the model has nothing more to do. */
  async prompt(blocks: readonly acp.ContentBlock[]): Promise<acp.StopReason> {
    this.#turn = new AbortController();
    const { signal: abortSignal } = this.#turn;
    const said = blocks.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`));
    this.#messages.push({ role: 'user', content: said.join('\n') });
    try {
      const { text, response } = await generateText({
        model,
        system: systemPrompt({ commands: this.#router.commands }),
        messages: this.#messages,
        tools: { bash: this.#bash },
        stopWhen: stepCountIs(200),
        abortSignal,
      });
      this.#messages.push(...response.messages);
      await this.#update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
      return 'end_turn';
    } catch (error) {
      if (abortSignal.aborted) return 'cancelled';
      throw error;
    }
  }

  cancel(): void {
    this.#turn.abort();
  }

  readonly #bash = tool({
    description: 'Runs a command line in a bash that lasts',
    inputSchema: z.object({ command: z.string() }),
    execute: async ({ command }, { toolCallId, abortSignal: signal }) => {
      await this.#update({
        sessionUpdate: 'tool_call',
        toolCallId,
        title: command,
        kind: 'execute',
      });
      const approve = this.#ask(toolCallId);
      const { stdout, stderr, exitCode } = await this.#router.route(command, { signal, approve });
      const text = `${stdout}${stderr}Exit code ${exitCode}`;
      const status = exitCode === 0 ? 'completed' : 'failed';
      const content = [{ type: 'content' as const, content: { type: 'text' as const, text } }];
      await this.#update({ sessionUpdate: 'tool_call_update', toolCallId, status, content });
      return text;
    },
  });

  #ask(toolCallId: string): Approve {
    return async ({ line, signal }) => {
      const { outcome } = await this.#client.request(
        acp.methods.client.session.requestPermission,
        {
          sessionId: this.id,
          toolCall: { toolCallId, title: line, kind: 'execute' },
          options: [
            { optionId: 'allow', name: 'Run it', kind: 'allow_once' },
            { optionId: 'deny', name: 'Do not run it', kind: 'reject_once' },
          ],
        },
        { cancellationSignal: signal },
      );
      return outcome.outcome === 'selected' && outcome.optionId === 'allow' ? 'allow' : 'deny';
    };
  }

  #update(update: acp.SessionUpdate): Promise<void> {
    return this.#client.notify(acp.methods.client.session.update, { sessionId: this.id, update });
  }

  dispose(): Promise<void> {
    return this.#router.dispose();
  }
}

const sessions = new Map<string, Session>();
const sessionOf = ({ sessionId }: { sessionId: string }) => {
  const session = sessions.get(sessionId);
  if (session === undefined)
    throw acp.RequestError.invalidParams(undefined, `no session ${sessionId}`);
  return session;
};

const connection = acp
  .agent({ name: 'todowrite-example' })
  .onRequest(acp.methods.agent.initialize, () => ({ protocolVersion: acp.PROTOCOL_VERSION }))
  .onRequest(acp.methods.agent.session.new, ({ params: { cwd }, client }) => {
    const session = new Session(client, cwd);
    sessions.set(session.id, session);
    return { sessionId: session.id };
  })
  .onRequest(acp.methods.agent.session.prompt, async ({ params }) => ({
    stopReason: await sessionOf(params).prompt(params.prompt),
  }))
  .onNotification(acp.methods.agent.session.cancel, ({ params }) => sessionOf(params).cancel())
  .connect(
    acp.ndJsonStream(
      Writable.toWeb(process.stdout),
      Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
    ),
  );

await connection.closed;
await Promise.all([...sessions.values()].map((session) => session.dispose()));
