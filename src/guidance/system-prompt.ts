import type { AgentBashHandler } from '../base/command/agent-command.ts';
import { DEFAULT_SETTINGS, type ListLimits } from '../base/settings/settings.ts';
import { TodoReadHandler } from '../todo/todo-read.ts';
import { TodoWriteHandler } from '../todo/todo-write.ts';
import { PROMPT_TEXTS } from './texts.ts';

/** Options of the text for a system prompt. */
export interface SystemPromptOptions {
  /** The agent commands that the model has, such as `router.commands`. TodoWrite and TodoRead unless given. */
  commands?: Iterable<Pick<AgentBashHandler, 'name' | 'summary'>>;
  /** The limits of a list; the defaults unless given. */
  limits?: ListLimits;
  /** The model's name among the agents of a team. */
  agent?: string;
}

/**
 * The text for a model's system prompt: the agent commands, when to plan and when not, how to pass JSON. Under 400 tokens with
 * TodoWrite and TodoRead, and under 550 with the commands on tasks.
 */
export function systemPrompt(options: SystemPromptOptions = {}): string {
  const commands = [...(options.commands ?? [new TodoWriteHandler(), new TodoReadHandler()])];
  if (commands.length === 0) return '';
  const has = (command: string) => commands.some(({ name }) => name === command);
  return (
    PROMPT_TEXTS.commands(commands) +
    (has('TodoWrite') ? PROMPT_TEXTS.planning(options.limits ?? DEFAULT_SETTINGS) : '') +
    (has('TaskClaim') ? PROMPT_TEXTS.tasks(options.agent) : '')
  );
}
