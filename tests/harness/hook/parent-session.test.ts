import { copyFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parentSession } from '../../../src/harness/hook/parent-session.ts';
import { temporaryDirectory } from '../../helpers/files.ts';

test('what a session writes as it begins makes it no fork of one that copies that', () => {
  const folder = temporaryDirectory();
  const [own, fork] = ['own', 'fork'].map((name) => join(folder, `${name}.jsonl`)) as [
    string,
    string,
  ];
  writeFileSync(own, '');
  const soon = new Date(statSync(own).birthtimeMs + 300).toISOString();
  writeFileSync(own, `{"uuid":"m-1","timestamp":"${soon}"}\n`);
  copyFileSync(own, fork);
  expect(parentSession({ hook_event_name: 'PreToolUse', transcript_path: own })).toBeUndefined();
});
