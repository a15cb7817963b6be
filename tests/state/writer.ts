// A process of its own that writes one list: FOLDER NAME COUNT. Prints a line for each version that it was given.
import { writeSync } from 'node:fs';
import { FilePlace } from '../../src/state/file-place.ts';
import { change } from '../../src/state/place.ts';

const [folder = '', name = '', count = ''] = process.argv.slice(2);
const place = new FilePlace<string>({ folder, author: name });
for (let number = 1; number <= Number(count); number++) {
  const content = `${name} ${number}`;
  const committed = change(place, () => ({ content, at: new Date() }));
  writeSync(1, `${JSON.stringify({ version: committed?.version, content })}\n`);
}
