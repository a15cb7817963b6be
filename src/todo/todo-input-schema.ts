import type { JsonSchema } from '../command/agent-command.ts';
import { objectJson } from '../json/fields.ts';
import type { ListLimits } from '../settings/settings.ts';
import { TODO_FIELDS } from './todo-fields.ts';

/**
 * What `validateTodoList` checks, as JSON Schema, which cannot say that ids must differ and that one item at most may be in
 * progress.
 */
export function todoInputSchema(limits: ListLimits): JsonSchema {
  const item = objectJson(TODO_FIELDS, limits);
  return {
    type: 'object',
    properties: {
      todos: {
        type: 'array',
        maxItems: limits.maxItems,
        items: item,
        description: 'The whole list, which replaces the one before',
      },
    },
    required: ['todos'],
    additionalProperties: false,
  };
}
