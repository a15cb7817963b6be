import { expect, test } from 'vitest';
import {
  decodeContent,
  encodeContent,
  parseBounded,
  refuseTooMuch,
} from '../../src/servers/stored-content.ts';
import { MIB } from './false-server.ts';

const GZIP = 0x1f;
const STORED = { id: 'a', at: '2026-05-01T12:00:00.000Z', by: 'ann', content: ['x'] };

test.each([
  ['small', ['x'], false],
  ['under 100 KiB', 'x'.repeat(100 * 1024 - 80), false],
  ['over 100 KiB', 'x'.repeat(100 * 1024), true],
])(
  'a version that is %s is read as it was written; only a large one is compressed',
  (_, content, isCompressed) => {
    const stored = { ...STORED, content };
    const bytes = encodeContent(stored);
    expect(bytes[0] === GZIP).toBe(isCompressed);
    expect(decodeContent(bytes)).toEqual(stored);
  },
);

test('a version without one of its fields, or with another kind of value there, is damaged; one in another format is not', () => {
  const problem = { problem: 'it cannot be read' };
  expect(decodeContent(Buffer.from('{"format":2}'))).toEqual({
    newerFormat: 'has format 2, which this program cannot read: update it',
  });
  for (const [name, wrong] of Object.entries({ id: 7, at: 'noon', by: 7, content: undefined })) {
    for (const value of [undefined, wrong]) {
      const stored = { ...STORED, [name]: value };
      expect(decodeContent(Buffer.from(JSON.stringify(stored))), name).toEqual(problem);
    }
  }
  for (const text of ['', 'null', '{', '\x1f\x8bx']) {
    expect(decodeContent(Buffer.from(text, 'latin1')), text).toEqual(problem);
  }
});

const nested = (levels: number, inner = '') => '['.repeat(levels) + inner + ']'.repeat(levels);

test.each([
  nested(100),
  `[${Array(200).fill('[{}]')}]`,
  JSON.stringify(['['.repeat(200), '"', '\\', `\\"${'{'.repeat(200)}`, ',[{']),
  '{"a":"\\\\","b":["\\\\\\""]}',
])('JSON of up to 100 levels is read, whatever its texts contain: %.40s', (json) => {
  expect(parseBounded(json)).toEqual(JSON.parse(json));
});

test.each([
  nested(101),
  `["\\\\",${nested(100)}]`,
  `{"a":"x\\"","b":${'{"a":'.repeat(100)}1${'}'.repeat(101)}`,
])('JSON of more levels is refused: %.40s', (json) => {
  expect(() => parseBounded(json)).toThrow('its JSON has more than 100 levels');
});

test.each(['["a', '["a\\"', '[', '{"a"}'])('JSON that has no end is no JSON: %s', (json) => {
  expect(() => parseBounded(json)).toThrow(SyntaxError);
});

test('an answer of up to 128 MiB is read', () => {
  expect(() => refuseTooMuch(128 * MIB)).not.toThrow();
  expect(() => refuseTooMuch(128 * MIB + 1)).toThrow('it sent more than 128 MiB at once');
});
