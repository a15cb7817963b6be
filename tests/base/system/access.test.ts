import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isTrusted } from '../../../src/base/system/access.ts';
import { temporaryDirectory } from '../../helpers/files.ts';

test.skipIf(statSync('/usr').uid !== 0)(
  'one trusts what belongs to root or to oneself, and nothing that is missing',
  () => {
    const own = join(temporaryDirectory(), 'own');
    writeFileSync(own, '');
    expect(['/usr', own, `${own}-missing`].map((path) => isTrusted(path))).toEqual([
      true,
      true,
      false,
    ]);
  },
);
