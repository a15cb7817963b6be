import fc from 'fast-check';
import { isBlank } from '../../src/base/safe-text.ts';
import type { TodoItem } from '../../src/todo/todo-fields.ts';
import { anyCharacter } from '../helpers/any-character.ts';

/** Text with much that breaks quoting and JSON, and any Unicode now and then; without blanks around it, which are not kept. */
export const text: fc.Arbitrary<string> = fc
  .string({
    unit: fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...'ab \\"\'`$!{}[],:\n\r\t') },
      { weight: 1, arbitrary: anyCharacter },
    ),
    maxLength: 20,
  })
  // A backspace or form feed in JSON is noted.
  .map((candidate) => candidate.replace(/[\b\f]/g, '').trim())
  .filter((candidate) => !isBlank(candidate));

export const plainText: fc.Arbitrary<string> = fc
  .string({ unit: fc.constantFrom(...'abc{}[],: "'), maxLength: 12 })
  .map((candidate) => `x${candidate.trimEnd()}`);

/** Always valid. */
export function todoList(words: fc.Arbitrary<string> = text): fc.Arbitrary<TodoItem[]> {
  const item = fc.record(
    {
      content: words,
      activeForm: words,
      status: fc.constantFrom('pending' as const, 'completed' as const),
      id: words,
      priority: fc.constantFrom('high' as const, 'medium' as const, 'low' as const),
    },
    { requiredKeys: ['content', 'activeForm', 'status'] },
  );
  return fc
    .tuple(
      fc.uniqueArray(item, {
        maxLength: 6,
        comparator: (a, b) => a.id !== undefined && a.id === b.id,
      }),
      fc.nat(),
    )
    .map(([items, chosen]) =>
      items.map((each, index) =>
        index === chosen % 7 ? { ...each, status: 'in_progress' as const } : each,
      ),
    );
}
