import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { beforeEach, expect, test } from 'vitest';
import {
  DEFAULT_SETTINGS,
  readSettings,
  settingsOfCalls,
} from '../../../src/base/settings/settings.ts';
import { temporaryDirectory } from '../../helpers/files.ts';

const EXAMPLE = readFileSync('.env.example', 'utf8');

let directory: string;
beforeEach(() => {
  directory = temporaryDirectory();
});

const writeEnv = (text: string | Buffer) => writeFileSync(join(directory, '.env'), text);

test('a setting in .env holds, and one in the environment before it, blanks around it or not', () => {
  writeEnv(`TODO_MAX_ITEMS=7
export TODO_MAX_CONTENT_LENGTH="9" # short
TODO_CLEAR_WHEN_DONE=1
TODO_GUIDANCE=notes
TODO_REMINDER_TURNS=3
TODO_ONE_TASK_PER_AGENT=1
TODO_REQUIRE_PROOF=1
TODO_PROOF_TIMEOUT=5
TODO_TASKS=1
`);
  const inFile = {
    ...DEFAULT_SETTINGS,
    maxItems: 7,
    maxContentLength: 9,
    clearWhenDone: true,
    guidance: 'notes',
    reminderTurns: 3,
    oneTaskPerAgent: true,
    requireProof: true,
    proofTimeout: 5,
    tasksInPrompt: true,
    limitsFile: { path: join(directory, '.env'), limits: [7, 9] },
  };
  expect(readSettings({}, directory).settings).toEqual(inFile);
  const environment = { TODO_MAX_CONTENT_LENGTH: ' 10 ', TODO_GUIDANCE: 'off ' };
  const limitsFile = { ...inFile.limitsFile, limits: [7] };
  const own = { maxContentLength: 10, guidance: 'off', limitsFile };
  expect(readSettings(environment, directory).settings).toEqual({ ...inFile, ...own });
});

test('settings are read again at each call, and .env a moment later', async () => {
  const maxItems = () => readSettings({}, directory).settings.maxItems;
  expect(maxItems()).toBe(50);
  writeEnv('TODO_MAX_ITEMS=7\n');
  await expect.poll(maxItems).toBe(7);
  writeEnv('TODO_MAX_ITEMS=70\n');
  await expect.poll(maxItems).toBe(70);
  expect(readSettings({ TODO_MAX_ITEMS: '8' }, directory).settings.maxItems).toBe(8);
  rmSync(join(directory, '.env'));
  await expect.poll(maxItems).toBe(50);
});

test.each([
  ['is a directory', () => mkdirSync(join(directory, '.env'))],
  ['is a link to itself', () => symlinkSync('.env', join(directory, '.env'))],
  ['is far too large', () => writeEnv(`TODO_MAX_ITEMS=7\n${'#'.repeat(300 * 1024)}`)],
  ['never ends', () => symlinkSync('/proc/self/pagemap', join(directory, '.env'))],
  ['is binary', () => writeEnv(Buffer.from([0xff, 0x00, 0xfe, 0x3d, 0x0a]))],
  ['is in a directory that is not there', () => rmSync(directory, { recursive: true })],
])('a .env that %s is no error', (_, prepare) => {
  prepare();
  expect(readSettings({}, directory)).toEqual({ settings: DEFAULT_SETTINGS, warnings: [] });
});

test.each([
  ['a byte-order mark before it', '\ufeffTODO_MAX_ITEMS=7\n'],
  ['a name that objects inherit', '__proto__=1\nTODO_MAX_ITEMS=7\n'],
])('%s hides no setting', (_, text) => {
  writeEnv(text);
  expect(readSettings({}, directory).settings.maxItems).toBe(7);
});

test('.env.example lists every setting with its default', () => {
  const known: string[] = [];
  const get = (_: unknown, name: string) => void known.push(name);
  expect(readSettings(new Proxy<Record<string, string>>({}, { get }), undefined).settings).toEqual(
    DEFAULT_SETTINGS,
  );
  const names = [...EXAMPLE.matchAll(/^#?(TODO_\w+)=/gm)].map(([, name]) => name);
  expect(['HOME', ...names]).toEqual(expect.arrayContaining(known));
  writeEnv(EXAMPLE);
  const example = parseEnv(EXAMPLE);
  for (const [environment, folder] of [
    [{}, directory],
    [example, undefined],
  ] as const) {
    expect(readSettings(environment, folder)).toMatchObject({
      settings: DEFAULT_SETTINGS,
      warnings: [],
    });
  }
});

test('docs/settings.md has a row for each setting, with its default and whether a .env may set it', () => {
  const page = readFileSync('docs/settings.md', 'utf8');
  const rows = [...page.matchAll(/^\| (`TODO.*?) \| ?(.*?) ?\| (yes|no) \|/gm)].flatMap(
    ([, names = '', value = '', inFile]) =>
      [...names.matchAll(/TODO_\w+/g)].map(([name]) => ({ name, value, inFile })),
  );
  const [files = ''] = EXAMPLE.split('# These are read from the environment only');
  const names = [...EXAMPLE.matchAll(/^#?(TODO_\w+)=/gm)].map(([, name = '']) => name);
  expect(rows.map(({ name }) => name).sort()).toEqual([...new Set(names)].sort());
  const defaults = parseEnv(files);
  const inFile = rows.filter((row) => row.inFile === 'yes');
  expect(Object.fromEntries(inFile.map(({ name, value }) => [name, value]))).toEqual(defaults);
});

test('the names of the list, its place and its history are set only in the environment', () => {
  const environment = {
    TODO_STATE_DIR: 'lists',
    TODO_SESSION: 's',
    TODO_AGENT: 'a',
    TODO_HISTORY: '7',
    TODO_HOOKS_DIR: 'hooks',
    TODO_TASK_LIST: 'docs',
    TODO_TEAM: 'blue',
  };
  // Before the first read: a process caches a .env for a moment.
  const lines = Object.entries(environment).map(([name, value]) => `${name}=${value}\n`);
  writeEnv(`${lines.join('')}TODO_TASK_LIST=\nTODO_STATE_URL=etcd://127.0.0.1:1/x\n`);
  expect(readSettings(environment, directory).settings).toEqual({
    ...DEFAULT_SETTINGS,
    stateDir: 'lists',
    session: 's',
    agent: 'a',
    history: 7,
    hooksDir: 'hooks',
    taskList: 'docs',
  });
  expect(readSettings({}, directory)).toEqual({ settings: DEFAULT_SETTINGS, warnings: [] });
});

test("the names of a caller stand in for those of the host, unset ones too; all else is the host's", () => {
  const host = { TODO_AGENT: 'host', TODO_SESSION: 'h', TODO_MAX_ITEMS: '3', TODO_TEAM: 'red' };
  const settings = settingsOfCalls(host, () => directory);
  const env = {
    TODO_AGENT: 'bob',
    TODO_TASK_LIST: 'docs',
    TODO_MAX_ITEMS: '9',
    TODO_STATE_DIR: 'x',
  };
  expect(settings({ env }).settings).toEqual({
    ...DEFAULT_SETTINGS,
    maxItems: 3,
    agent: 'bob',
    taskList: 'docs',
  });
  const own = { ...DEFAULT_SETTINGS, maxItems: 3, agent: 'host', session: 'h', taskList: 'red' };
  expect(settings({}).settings).toEqual(own);
  expect(settings().settings).toEqual(own);
});

test('one call has one reading, however many ask, and the next call has its own', () => {
  const environment = { TODO_MAX_ITEMS: 'x' };
  const settings = settingsOfCalls(environment, () => directory);
  const call = {};
  const reading = settings(call);
  expect(reading.warnings).toHaveLength(1);
  environment.TODO_MAX_ITEMS = '4';
  expect(settings(call)).toBe(reading);
  expect(settings({}).settings.maxItems).toBe(4);
  const gone = settingsOfCalls({}, () => {
    throw new Error('ENOENT');
  });
  expect(gone({}).settings).toEqual(DEFAULT_SETTINGS);
});
