import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Document } from '../../src/lists/document.ts';
import { FilePlace } from '../../src/lists/file-place.ts';
import type { AnyPlace, Version } from '../../src/lists/place.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { describeEachPlace } from './each-place.ts';

const NOON = new Date('2026-05-01T12:00:00.000Z');
const ONE = new Date('2026-05-01T13:00:00.500Z');

function documentOn(place: AnyPlace<string[]>) {
  const of = (version: Version<string[]>) => version;
  const view = { empty: { version: 0, at: NOON, by: '', content: [] }, of };
  return new Document<string[], Version<string[]>>(place, view, () => ONE);
}

describeEachPlace((create) => {
  test('a change is computed again from a commit in between, and heard of when it is made', async () => {
    const place = create(50)();
    await place.commit(0, ['first'], NOON);
    let interruptions = 2;
    const document = documentOn(place);
    let told = 0;
    onTestFinished(document.onChange(({ version }) => (told = version)));
    const committed = await document.compute(async (newest) => {
      const { version = 0, content = [] } = newest ?? {};
      if (interruptions-- > 0) await place.commit(version, [...content, 'other'], NOON);
      return [...content, 'mine'];
    });
    expect(told).toBe(4);
    const made = { version: 4, content: ['first', 'other', 'other', 'mine'] };
    expect(committed).toMatchObject(made);
    expect(await place.load()).toMatchObject(made);
  });

  test('a change that turns out to be none commits nothing', async () => {
    const place = create(50)();
    const none = await documentOn(place).compute(() => undefined);
    expect(none).toBeUndefined();
    expect(await place.load()).toBeUndefined();
  });
});

test('memory and files need no waiting', () => {
  const place = new FilePlace<string[]>({ folder: join(temporaryDirectory(), 's', 'a') });
  const made = documentOn(place).compute(() => ['a']);
  expect(made).toMatchObject({ version: 1 });
  expect(place.load()).toMatchObject({ content: ['a'] });
});
