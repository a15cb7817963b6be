import type { JsonSchema } from '../command/agent-command.ts';
import type { ListLimits } from '../settings/settings.ts';

/**
 * What `validateTodoList` checks, as JSON Schema, which cannot say that ids must differ and that one item at most may be in
 * progress.
 */
export function todoInputSchema({ maxItems, maxContentLength }: ListLimits): JsonSchema {
  const text = { type: 'string', pattern: '\\S', maxLength: maxContentLength };
  const item = {
    type: 'object',
    properties: {
      content: { ...text, description: 'What is to be done: "Run tests"' },
      activeForm: { ...text, description: 'The same while it is being done: "Running tests"' },
      status: {
        enum: ['pending', 'in_progress', 'completed'],
        description: 'At most one item is in_progress',
      },
      id: text,
      priority: { enum: ['high', 'medium', 'low'] },
      check: { ...text, description: 'A command that proves it by ending with 0: "npm test"' },
    },
    required: ['content', 'activeForm', 'status'],
    additionalProperties: false,
  };
  return {
    type: 'object',
    properties: {
      todos: {
        type: 'array',
        maxItems,
        items: item,
        description: 'The whole list, which replaces the one before',
      },
    },
    required: ['todos'],
    additionalProperties: false,
  };
}
