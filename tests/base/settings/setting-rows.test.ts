import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DEFAULT_SETTINGS, readSettings } from '../../../src/base/settings/settings.ts';
import { temporaryDirectory } from '../../helpers/files.ts';

test.each([
  ...['abc', '0', '-5', '1.5', '1e3', '', '5 items', '99999999999999999999'].map((value) => [
    'TODO_MAX_ITEMS',
    value,
    `must be a positive integer, received '${value}'; using 50`,
  ]),
  [
    'TODO_MAX_ITEMS',
    `\x1b[2J\n${'x'.repeat(100)}`,
    `must be a positive integer, received '␛[2J ${'x'.repeat(32)}...'; using 50`,
  ],
  ['TODO_GUIDANCE', 'ALL', "must be off, notes or all, received 'ALL'; using all"],
  ['TODO_ONE_TASK_PER_AGENT', 'yes', "must be 1 or 0, received 'yes'; using 0"],
  [
    'TODO_LEASE',
    'soon',
    "must be a time such as 90s, 30m or 8h, or off, received 'soon'; using the default",
  ],
] as [string, string, string][])(
  '%s=%j gives the default and one warning, with the value cut short and made safe',
  (name, value, problem) => {
    expect(readSettings({ [name]: value }, undefined)).toEqual({
      settings: DEFAULT_SETTINGS,
      warnings: [`Warning: ${name} ${problem}`],
    });
  },
);

test('a warning about a value in .env says that it is there', () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, '.env'), 'TODO_MAX_ITEMS=many\n');
  const warning = (where: string) =>
    `Warning: TODO_MAX_ITEMS${where} must be a positive integer, received 'many'; using 50`;
  expect(readSettings({}, directory).warnings).toEqual([warning(' in ./.env')]);
  expect(readSettings({ TODO_MAX_ITEMS: 'many' }, directory).warnings).toEqual([warning('')]);
});

test.each([
  [{}, undefined],
  [{ TODO_LEASE: '' }, undefined],
  [{ TODO_LEASE: 'off' }, undefined],
  [{ TODO_LEASE: ' 90s ' }, 90_000],
  [{ TODO_LEASE: '8h' }, 8 * 3_600_000],
  [{ TODO_STATE_URL: 'etcd://127.0.0.1:2379/a' }, 2 * 3_600_000],
  [{ TODO_STATE_URL: 'etcd://127.0.0.1:2379/a', TODO_LEASE: '30m' }, 30 * 60_000],
  [{ TODO_STATE_URL: 'etcd://127.0.0.1:2379/a', TODO_LEASE: 'off' }, undefined],
  [{ TODO_STATE_URL: 'etcd://127.0.0.1:2379/a', TODO_LEASE: '2 hours' }, 2 * 3_600_000, 1],
])('the lease of a claim: %j', (environment, leaseMs, count = 0) => {
  const { settings, warnings } = readSettings(environment, undefined);
  expect([settings.leaseMs, warnings.length]).toEqual([leaseMs, count]);
});
