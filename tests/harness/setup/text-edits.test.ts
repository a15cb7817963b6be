import fc from 'fast-check';
import { parse as parseJsonc } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { jsonHooks } from '../../../src/harness/setup/json-hooks.ts';
import {
  markedSection,
  SetupError,
  type TextEdit,
  tomlHooks,
} from '../../../src/harness/setup/text-edits.ts';
import { runs } from '../../helpers/random.ts';

const COMMAND = 'agent-shell hook';
const group = { hooks: [{ type: 'command', command: COMMAND, timeout: 10 }] };
const hooks = jsonHooks({ events: { Start: group, Stop: { matcher: 'Bash', ...group } } });
const flat = jsonHooks({ events: { start: { command: COMMAND } }, version: 1 });
const section = markedSection('Plan with care.\n\n    Do it', 'claude');
const toml = tomlHooks(
  [
    ['Start', group],
    ['Stop', { matcher: 'Bash', ...group }],
  ],
  'codex',
);

/** The edit is undone to the byte, and a second one changes nothing. */
function comesAndGoes(edit: TextEdit, text: string | undefined): string {
  const added = edit.add(text);
  expect(edit.add(added)).toBe(added);
  expect(edit.remove(added)).toBe(text);
  return added;
}

/** JSON in any layout, with comments. */
const space = fc.constantFrom('', ' ', '\n', '\n  ', '\r\n\t', ' /* a */ ', ' // b\n');
function laidOut(value: unknown): fc.Arbitrary<string> {
  if (typeof value !== 'object' || value === null) return fc.constant(JSON.stringify(value));
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((item) => laidOut(item))
    : Object.entries(value).map(([key, item]) =>
        fc.tuple(space, laidOut(item)).map(([gap, text]) => `${JSON.stringify(key)}:${gap}${text}`),
      );
  const [open, close] = isList ? '[]' : '{}';
  return fc
    .tuple(fc.tuple(...parts), fc.array(space, { minLength: parts.length * 2 + 1 }))
    .map(([texts, gaps]) => {
      const inner = texts.map((text, index) => `${gaps[2 * index]}${text}${gaps[2 * index + 1]}`);
      return `${open}${inner.join(',')}${gaps.at(-1)}${close}`;
    });
}

const theirs = fc.oneof(
  fc.constant({ command: 'lint', timeout: 5 }),
  fc.constant({ hooks: [] }),
  fc.constant({ matcher: 'Edit', hooks: [{ type: 'command', command: 'fmt' }] }),
);
const settings = fc
  .record(
    {
      model: fc.string(),
      version: fc.constant(1),
      hooks: fc.record(
        {
          Start: fc.array(theirs, { maxLength: 2 }),
          start: fc.array(theirs, { maxLength: 2 }),
          Stop: fc.array(theirs, { maxLength: 2 }),
          Other: fc.array(theirs, { maxLength: 2 }),
        },
        { requiredKeys: [] },
      ),
      env: fc.record({ A: fc.string() }, { requiredKeys: [] }),
    },
    { requiredKeys: [] },
  )
  .chain(laidOut);

describe('hooks in JSON', () => {
  test('remove restores the text to the byte, and add changes nothing else', () => {
    fc.assert(
      fc.property(settings, fc.constantFrom('', '\n', '\r\n'), (text, end) => {
        for (const edit of [hooks, flat]) {
          const added = comesAndGoes(edit, text + end);
          const [before, after] = [text, added].map((json) => parseJsonc(json));
          for (const key of ['model', 'env']) expect(after[key]).toEqual(before[key]);
          expect(JSON.stringify(after.hooks)).toContain(COMMAND);
          for (const [event, list] of Object.entries<unknown[]>(before.hooks ?? {})) {
            expect(after.hooks[event].slice(0, list.length)).toEqual(list);
          }
        }
      }),
      { numRuns: runs(200) },
    );
  });

  test('a missing file is created, and removed again; an empty one is empty again', () => {
    expect(JSON.parse(comesAndGoes(hooks, undefined)).hooks.Stop).toEqual([
      { matcher: 'Bash', ...group },
    ]);
    expect(JSON.parse(comesAndGoes(flat, undefined))).toMatchObject({ version: 1 });
    for (const edit of [hooks, flat])
      for (const empty of ['', '\n', ' \r\n']) comesAndGoes(edit, empty);
  });

  test('in a file that setup created, the additions of others stay', () => {
    const added = flat.add(undefined).replace(/\n}\n$/, ',\n  "mine": 1\n}\n');
    expect(JSON.parse(flat.remove(added) ?? '')).toEqual({ version: 1, mine: 1 });
  });

  test.each([
    ['{', '{ /* mine, too */'],
    ['{', '// mine\n{'],
    ['\n}\n', '\n}\n// mine\n'],
    ['"hooks": {', '"hooks": { // mine'],
    ['"Start": [', '"Start": [ // mine'],
    ['"Stop"', '// mine, and\n /* not, yours */ "Stop"'],
    ['"hooks"', '"a": 1, // mine\n"hooks"'],
    ['\n  }\n}', '\n  }, // mine\n"a": 1\n}'],
  ])('so do their comments: %j becomes %j', (place, commented) => {
    const removed = hooks.remove((hooks.add(undefined) ?? '').replace(place, commented)) ?? '';
    expect(removed).toContain('mine');
    expect(removed).not.toContain(COMMAND);
    expect(parseJsonc(removed)).toBeDefined();
    expect(removed).not.toMatch(/,\s*[}\]]/);
  });

  test('additions follow the indentation and line ends of the file', () => {
    const tabs = hooks.add('{\r\n\t"a": 1\r\n}\r\n');
    expect(tabs).toContain('\r\n\t"hooks": {\r\n\t\t"Start": [\r\n\t\t\t{\r\n');
    expect(hooks.add('{"a":1}')).not.toContain('\n');
  });

  test('the same hooks by hand, in another layout or with a handler beside them, are ours too', () => {
    const mixed = JSON.stringify({
      hooks: { Start: [{ hooks: [{ command: 'x' }, { command: COMMAND }] }], Stop: [group] },
    });
    expect(hooks.add(mixed)).toBe(mixed);
    expect(JSON.parse(hooks.remove(mixed) ?? '')).toEqual({
      hooks: { Start: [{ hooks: [{ command: 'x' }] }], Stop: [] },
    });
  });

  test('a command that only begins like ours is not ours', () => {
    const text =
      '{"hooks":{"Stop":[{"command":"agent-shell hooks"},{"command":"./agent-shell hook"}]}}';
    expect(hooks.remove(text)).toBe(text);
  });

  test('a gate replaces a hook without one', () => {
    const gated = jsonHooks({ events: { Stop: { hooks: [{ command: `${COMMAND} --gate` }] } } });
    const open = hooks.add('{}');
    const closed = gated.add(open);
    expect(closed).toBe(
      open.replace(/("Stop"[\s\S]*)"agent-shell hook"/, '$1"agent-shell hook --gate"'),
    );
    expect(hooks.remove(closed)).toBe('{}');
  });

  test.each([
    ['{"a": }', 'is not JSON: value expected at line 1, column 7'],
    ['// no value', 'is not JSON: value expected at line 1, column 12'],
    ['{"hooks":{}} x', 'is not JSON: invalid symbol at line 1, column 14'],
    ['{"hooks":{},\n}', 'is not JSON: property name expected at line 2, column 1'],
    ['[]', 'is not a JSON object'],
    ['{"hooks":[]}', 'has a "hooks" that is not of type object'],
    ['{"hooks":{"Start":{}}}', 'has a "hooks.Start" that is not of type array'],
    ['{"hooks":{},"hooks":{}}', 'has the property "hooks" twice'],
  ])('%j is left alone: %s', (text, problem) => {
    expect(() => hooks.add(text)).toThrow(new SetupError(problem));
  });
});

describe('a marked section', () => {
  const line = fc.constantFrom('', '# Rules', 'Use tabs.', '```', 'ünï');
  const page = fc
    .tuple(fc.array(line), fc.constantFrom('\n', '\r\n'), fc.boolean())
    .map(([lines, eol, isEnded]) => lines.join(eol) + (isEnded ? eol : ''));

  test('remove restores the text to the byte, and add changes nothing else', () => {
    fc.assert(
      fc.property(page, (text) => {
        expect(comesAndGoes(section, text).startsWith(text)).toBe(true);
      }),
      { numRuns: runs(200) },
    );
    comesAndGoes(section, undefined);
  });

  test('it keeps its place, and an older one is replaced whole', () => {
    const old = '# A\n\n<!-- BEGIN todowrite v0: claude -->\nold\n<!-- END todowrite -->\n\nB\n';
    const added = section.add(old);
    expect(added).toBe(`# A\n\n${section.shown}\nB\n`);
    expect(section.remove(added)).toBe('# A\n\nB\n');
  });

  test('where the blank line before it has been deleted, it joins no two lines', () => {
    const added = section.add('A\n').replace('A\n\n', 'A\n');
    expect(section.remove(added)).toBe('A\n');
    expect(section.remove(`${added}B\n`)).toBe('A\nB\n');
  });

  test('a file that several harnesses read has one section, which goes with the last of them', () => {
    const other = markedSection('Plan with care.\n\n    Do it', 'codex');
    const both = other.add(section.add('A\n'));
    expect(both.match(/BEGIN.*/g)).toEqual(['BEGIN todowrite v1: claude, codex -->']);
    expect(section.remove(section.remove(both) ?? '')).toBe(other.add('A\n'));
    expect(other.remove(section.remove(both) ?? '')).toBe('A\n');
  });

  test.each([
    ['<!-- BEGIN todowrite v1: claude -->\n'],
    ['<!-- END todowrite -->\n<!-- BEGIN todowrite v1: claude -->'],
    [section.shown + section.shown],
  ])('comments that do not pair are left alone: %j', (text) => {
    expect(() => section.add(text)).toThrow(/do not pair/);
    expect(() => section.remove(text)).toThrow(/do not pair/);
  });
});

describe('hooks in TOML', () => {
  const text =
    '# mine\nmodel = "m"\n\n[[hooks.Stop]] # keep\n[[hooks.Stop.hooks]]\ncommand = "x"\n';

  test('they are tables at the end of the file, and the rest stays to the byte', () => {
    const added = comesAndGoes(toml, text);
    expect(added.startsWith(text)).toBe(true);
    expect(parseToml(added)).toEqual({
      model: 'm',
      hooks: {
        Start: [group],
        Stop: [{ hooks: [{ command: 'x' }] }, { matcher: 'Bash', ...group }],
      },
    });
    comesAndGoes(toml, text.trimEnd());
    comesAndGoes(toml, text.replaceAll('\n', '\r\n'));
  });

  test.each([
    ['hooks = {}', /hooks that cannot be added to/],
    ['[hooks]\nStop = []\n', /hooks that cannot be added to/],
    ['a = ', /is not TOML: Invalid TOML document: \w.*$/],
  ])('%j is left alone', (bad, problem) => {
    expect(() => toml.add(bad)).toThrow(problem);
  });
});
