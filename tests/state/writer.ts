// A process that writes one list: FOLDER NAME COUNT. Prints a line for each version that it made.
import { writeSync } from 'node:fs';
import { Document } from '../../src/state/document.ts';
import { FilePlace } from '../../src/state/file-place.ts';
import type { Version } from '../../src/state/place.ts';

const [folder = '', name = '', count = ''] = process.argv.slice(2);
const place = new FilePlace<string>({ folder, author: name });
const view = { empty: undefined, of: ({ version }: Version<string>) => version };
const document = new Document<string, number | undefined>(place, view, () => new Date());
for (let number = 1; number <= Number(count); number++) {
  const content = `${name} ${number}`;
  const version = document.compute(() => content);
  writeSync(1, `${JSON.stringify({ version, content })}\n`);
}
