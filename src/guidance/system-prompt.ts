import type { AgentBashHandler } from '../base/command/agent-command.ts';
import { STATUSES } from '../base/command/status.ts';
import { nameText, safeText } from '../base/safe-text.ts';
import { DEFAULT_SETTINGS, type ListLimits } from '../base/settings/settings.ts';
import { TodoReadHandler } from '../todo/todo-read.ts';
import { TodoWriteHandler } from '../todo/todo-write.ts';

const MAX_SUMMARY_CHARACTERS = 100;

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

const PROMPT_TEXTS = {
  commands: (commands: readonly Pick<AgentBashHandler, 'name' | 'summary'>[]): string => `\
Your bash has these commands of its own:
${commands.map(promptLine).join('\n')}
`,

  planning: ({ maxItems, maxContentLength }: ListLimits): string => `
Plan with TodoWrite for three or more steps, one hard step, several tasks ("add dark mode and run the tests"), or when \
the user asks for a list; not for one easy step or a question ("fix this typo"). Break a complex task into 3 \
to 7 smaller steps, verification last. The user watches the list live. Pass JSON in a heredoc with a quoted EOF:

TodoWrite <<'EOF'
{"todos":[
  {"content":"Fix login","activeForm":"Fixing login","status":"in_progress"},
  {"content":"Run the tests","activeForm":"Running the tests","status":"pending"}
]}
EOF

- content, activeForm and status (${STATUSES.join(', ')}) are required. At most ${maxItems} items, \
${maxContentLength} characters a text.
- Each call replaces the whole list: repeat every item. {"todos":[]} clears it.
- For one change: TodoWrite --done 1 --start 2 (places, from 1), --add "Ship" --active-form "Shipping", or --drop 3 for \
what is no longer relevant.
- While you work exactly one item is in_progress: mark it before you begin, finish it before the next. Mark it completed \
at once when it is fully done, never with errors left. Blocked: --pending N, then add and start the obstacle.
- Add new instructions at once. Use TodoRead when you resume, after a long stretch, and before you report.
- A refused call (exit code not 0) changes nothing; stderr says what to fix. "Note:" is advice.
`,

  tasks: (agent: string | undefined): string => `
${agent === undefined ? 'Say who you are with --agent NAME.' : `You are agent ${nameText(agent)}.`} Agents share the \
tasks. Take one: TaskClaim --next. Read it: TaskGet ID. Done: TaskUpdate ID --status completed. Give up: TaskRelease ID. \
Blocked: TaskUpdate ID --add-blocked-by OTHER. TodoWrite: your own steps.
`,
};

function promptLine({ name, summary }: Pick<AgentBashHandler, 'name' | 'summary'>): string {
  return `- ${name}: ${summary ? safeText(summary, MAX_SUMMARY_CHARACTERS) : `see ${name} --help`}`;
}
