import { expect, test } from 'vitest';
import { jsonLine } from '../../../src/base/json/fields.ts';

test('a value is one line of JSON in printable characters', () => {
  expect(jsonLine({ a: 'b\u001b\n\u202e\u{e0001}' })).toBe(
    '{"a":"b\\u001b\\n\\u202e\\udb40\\udc01"}\n',
  );
});
