import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { isJsonCollection } from '../../../src/base/json/json-input.ts';
import { withoutOuterQuotes } from '../../../src/base/line/quotes.ts';
import { BUILD, json, refused, todoWrite } from '../../todo/call.ts';

const list = (content: string, activeForm = 'Doing') =>
  `{"todos":[{"content":"${content}","activeForm":"${activeForm}","status":"pending"}]}`;
const NOTE =
  "Note: read the JSON as it was typed, since its quotes broke in bash; write ' as '\\'' or pass it by heredoc\n";

test.each([
  ['with blanks around it', ` \t'[1]'\n`, '[1]'],
  [`with an apostrophe written '\\''`, `'["Don'\\''t"]'`, `["Don't"]`],
  [`with an apostrophe written '"'"'`, `'["Don'"'"'t"]'`, `["Don't"]`],
  ['with one quote only', `'{"todos":[]}`, `'{"todos":[]}`],
  ['in unlike quotes', `'{"todos":[]}"`, `'{"todos":[]}"`],
  ['a single quote', `'`, `'`],
  ['two quotes', `''`, ''],
  ['nothing', '', ''],
])('the outer quotes of JSON are known: %s', (_, rest, text) => {
  expect(withoutOuterQuotes(rest)).toBe(text);
});

test.each([
  ['an object', '{"todos":[]}', true],
  ['an array', ' [] ', true],
  ['an array with a slip', '[1,]', true],
  ['a string', '"[]"', false],
  ['null', 'null', false],
  ['an object and a command', '{} && ls', false],
])('raw JSON is one object or array and nothing else: %s', (_, text, expected) => {
  expect(isJsonCollection(text)).toBe(expected);
});

test.each<[string, string[], string, object[]]>([
  ['unquoted', [], json(BUILD), [BUILD]],
  ['in double quotes', [], `"${json(BUILD)}"`, [BUILD]],
  ['a bare array', [], JSON.stringify([BUILD]), [BUILD]],
  ['an odd apostrophe', [], `'${list("Don't stop")}'`, [{ content: "Don't stop" }]],
  [
    'an even number of them, by which bash split it',
    ['{"todos":[{"content":"Dont', 'stop,activeForm:Cant rest","status":"pending"}]}'],
    `'${list("Don't stop", "Can't rest")}'`,
    [{ content: "Don't stop", activeForm: "Can't rest" }],
  ],
  [
    'an even number of them in one word, which is other JSON to bash',
    ['{"todos":[{"content":"Dont,activeForm:Cant","status":"pending"}]}'],
    `'${list("Don't", "Can't")}'`,
    [{ content: "Don't" }],
  ],
  [
    'one apostrophe written for bash and one forgotten',
    [],
    `'${list("Don'\\''t", "Can't")}'`,
    [{ content: "Don't", activeForm: "Can't" }],
  ],
])('JSON that bash breaks is read as typed, with a note: %s', async (_, argv, raw, items) => {
  const result = await todoWrite(argv, { raw });
  expect(result).toMatchObject({ exitCode: 0, items });
  expect(result.stderr).toContain(NOTE);
});

test.each([
  [[], '[]'],
  [['[', ']'], '[ ]'],
])(
  'JSON without quotes is read as typed without a note on quotes: %j, typed %s',
  async (argv, raw) => {
    const { exitCode, stderr } = await todoWrite(argv, { raw });
    expect(exitCode).toBe(0);
    expect(stderr).not.toContain(NOTE);
  },
);

test('inner quotes that bash removed are restored, with or without a blank between them', async () => {
  for (const typed of ["Fix 'tasks' now", "Fix 'my tasks' now"]) {
    const words = list(typed.replaceAll("'", '')).split(/(?<=my) /);
    const result = await todoWrite(words, { raw: `'${list(typed)}'` });
    expect(result).toMatchObject({ exitCode: 0, items: [{ content: typed }] });
    expect(result.stderr).toContain(NOTE);
  }
});

test('objects that have run together in standard input, since apostrophes ended the quotes, are no shorter list', async () => {
  const typed = list("Don't stop").replace(']}', `,${list("It's, {done}").slice(10)}`);
  const blanks = (json: string) => json.replace(/[:,]/g, '$& ');
  for (const text of [typed, blanks(typed), typed.replaceAll('},{', '},\n{')]) {
    // As `echo '...'` prints it.
    const echoed = spawnSync('bash', ['-c', `echo '${text}'`], { encoding: 'utf8' }).stdout;
    expect(await todoWrite([], { stdin: echoed })).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(
        /^Error: Invalid JSON format\n- line [12], column \d+: a text holds further objects, near .*\n- Several objects have become one: /,
      ),
    });
  }
});

test('a field that has run together with the text before it is said to be in that text', async () => {
  const { stdout } = spawnSync('bash', ['-c', `echo '${list("Don't stop", "Can't rest")}'`]);
  const lines = [
    "- todos[0].activeForm: Required; it is in another text, perhaps since apostrophes ended bash's quotes. Use a heredoc: <<'EOF'\n",
    '- todos[1].activeForm: Required\n',
  ];
  const echoed = String(stdout).replace(']}', ',{"content":"Say active","status":"pending"}]}');
  const result = await todoWrite([], { stdin: echoed });
  expect(result).toEqual(refused(`Error: Validation failed\n${lines.join('')}`));
});

test.each([
  'Sort [{id: 1}, {id: 2}], then [{content: 1}]',
  'Accept {content: a}, {status: b}',
  'Parse [{"content":"a","activeForm":"b","status":"c"},{"content":"d"}]',
  '}, { and content:, activeForm:',
])('a text about objects is a text: %s', async (content) => {
  const item = { ...BUILD, content };
  expect(await todoWrite([json(item)])).toMatchObject({ exitCode: 0, items: [item] });
});

test('\\b and \\f are kept as JSON has them, with a note; a backslash before them is none', async () => {
  const result = await todoWrite([list(String.raw`\bword\b`)]);
  expect(result.items).toMatchObject([{ content: '\bword\b' }]);
  expect(result.stderr).toMatch(/^Note: read \\b and \\f as control characters/);
  expect((await todoWrite([list(String.raw`\\bword\n`)])).stderr).toBe('');
});

test('if the schema refuses what bash read, the error is about that reading', async () => {
  const bad = list("Don't").replace('pending', 'done');
  const raw = `'${list("Don'\\''t").replace('pending', 'done')}'`;
  expect(await todoWrite([bad], { raw })).toEqual(await todoWrite([bad]));
});

test('if the schema refuses JSON as typed, the error is about the typed text', async () => {
  const raw = `'${list("Don't stop").replace('pending', 'done')}'`;
  expect(await todoWrite(['{"todos":[{"content":"Dont', 'stop'], { raw })).toEqual(
    refused(
      "Error: Validation failed\n- todos[0].status: Expected 'pending' | 'in_progress' | 'completed', received 'done'\n",
    ),
  );
});

test('words that were no JSON as typed either are refused as words', async () => {
  const { stderr } = await todoWrite(['{}', '{}'], { raw: '{} {}' });
  expect(stderr).toContain('- expected the JSON as one argument, received 2; the first is {}\n');
});
