import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { quote } from '../../../src/base/line/quotes.ts';
import type { Approve } from '../../../src/index.ts';
import { ENV } from '../../helpers/bash.ts';
import { listFiles, temporaryDirectory } from '../../helpers/files.ts';
import { Random } from '../../helpers/random.ts';
import { startRouter } from '../../helpers/session.ts';

// TEST_SEED and TEST_CERTAIN_LINES try other and more lines; by default each run has the same.
const SEED = Number(process.env.TEST_SEED ?? 20261126);
const COUNT = Number(process.env.TEST_CERTAIN_LINES ?? 150);

/** A PATH on which `bash -n`, which tells whether a line can be read, does this first. */
function pathWhereReading(does: string): string {
  const folder = temporaryDirectory();
  const script = `#!/bin/bash -p\n[ "$1" != -n ] || { ${does}; }\nexec /bin/bash "$@"\n`;
  writeFileSync(join(folder, 'bash'), script, { mode: 0o755 });
  return `${folder}:${ENV.PATH}`;
}

const BEFORE = ['', '', '', 'TodoRead; ', 'TodoRead\n', 'pwd; ', 'cd . && ', 'X=1 ', 'time ', '('];
const COMMANDS = ['TodoWrite', 'TodoWrite', 'TodoWrite --merge', 'TodoRead', 'TaskUpdate', 'pwd'];
const DEEDS = ['touch ran', '>ran', '$(touch ran)', '`touch ran`', '<(touch ran)', 'echo x >ran'];
const JOINTS = [..."'''\";|&\n \\#:*", "'; ", " : '", "'\\''", `'"'"'`, '"}]', '"]', '[', '{', '}'];
const AFTER = [
  '',
  '',
  '',
  ' && TodoRead',
  '\nTodoRead',
  '; pwd',
  ' | cat',
  ' </dev/null',
  '\n',
  ')',
];

/** A line that may call agent commands, with JSON whose quotes may hold, and with commands that make a file `ran`. */
function randomLine(random: Random): string {
  const text = () =>
    random.chance(0.6)
      ? `Don'${random.pick(['; ', '\n'])}${random.pick(DEEDS)}${random.pick(['\n', '\n', "; : '", "\n: '"])}`
      : random.list(1, 5, () => random.pick(['Don', 't', ...DEEDS, ...JOINTS])).join('');
  const json = () =>
    random.pick([
      () => `["${text()}"]`,
      () => `{"todos":[{"content":"${text()}","activeForm":"x","status":"pending"}]}`,
      () => `{"a":"${text()}","b":"${text()}"}`,
    ])();
  const call = () => {
    const outer = random.pick(["'", "'", '"', '']);
    return `${random.pick(COMMANDS)} ${outer}${json()}${outer}`;
  };
  const line = random.pick([
    () => `${random.pick(BEFORE)}${call()}${random.pick(AFTER)}`,
    () => `${call()}${random.pick(['; ', ' && ', '\n', ' '])}${call()}`,
    () => `${random.pick(BEFORE)}eval ${quote(call())}${random.pick(AFTER)}`,
    () => `${random.pick(COMMANDS)} ${text()}`,
  ])();
  if (random.chance(0.8)) return line;
  const at = random.below(line.length);
  return line.slice(0, at) + random.pick([...JOINTS, '']) + line.slice(at + random.below(3));
}

/** Returns the first line that ran, and how many were asked about. */
async function routeBehindADeny(count: number, seed: number, path = ENV.PATH) {
  const random = new Random(seed);
  let asked = 0;
  const approve: Approve = () => {
    asked += 1;
    return 'deny';
  };
  const { router, cwd } = startRouter({ approve, guide: false, env: { PATH: path } });
  for (let left = count; left > 0; left--) {
    const line = randomLine(random);
    await router.route(line, { timeoutMs: random.pick([undefined, 10, 30, 60]) });
    if (listFiles(cwd).length > 0) return { ran: line, asked };
  }
  return { ran: undefined, asked };
}

test(
  `of ${COUNT} random lines behind a deny none runs, raw JSON and short time limits included`,
  async () => {
    const unsteady = pathWhereReading('((RANDOM % 3)) || kill -9 $$; ((RANDOM % 3)) || sleep 0.03');
    const parts = [undefined, undefined, unsteady].map((path, index) =>
      routeBehindADeny(COUNT / 3, SEED + index, path),
    );
    for (const { ran, asked } of await Promise.all(parts)) {
      expect(ran).toBeUndefined();
      expect(asked).toBeGreaterThan(COUNT / 10);
    }
  },
  300_000 + COUNT * 100,
);

describe('a line whose quotes bash would break', () => {
  const MENDABLE = `TodoRead\nTodoWrite '["Don'\n>ran\n"]'`;
  const MENDED = `TodoRead\nTodoWrite '["Don'\\''\n>ran\n"]'`;

  test('is asked about as it would run, though only agent commands are left, and is never certain', async () => {
    const questions: object[] = [];
    const approve: Approve = ({ line, isCertain }) => {
      questions.push({ line, isCertain });
      return 'deny';
    };
    const { router, has } = startRouter({ approve });
    for (const options of [{}, { timeoutMs: 10 }, { timeoutMs: 60 }]) {
      expect((await router.route(MENDABLE, options)).exitCode).toBe(126);
    }
    expect(questions).toEqual(Array(3).fill({ line: MENDED, isCertain: false }));
    // The router carries out these itself.
    for (const line of [`TodoWrite '["Don'; >ran; : '"]'`, 'TodoWrite {"a": ";>ran"}'])
      expect((await router.route(line)).exitCode).toBe(1);
    expect([questions.length, has('ran')]).toEqual([3, false]);
  });

  /** Allows what it is asked about, where `bash -n` is the given line. */
  async function routeWhereReading(bashLine: string) {
    const asked: string[] = [];
    const approve: Approve = ({ line }) => {
      asked.push(line);
      return 'allow';
    };
    const { router, has } = startRouter({ approve, env: { PATH: pathWhereReading(bashLine) } });
    const { stderr } = await router.route(MENDABLE);
    return { asked, hasRun: has('ran'), isNoted: stderr.includes('read the JSON as it was typed') };
  }

  test('is mended once: what was allowed runs, whatever bash would answer next', async () => {
    // The first two answers are true: that it cannot read the line, and that it can read the mended one.
    const thenKilled = 'echo >>"$0.asked"; (($(wc -l <"$0.asked") < 3)) || kill -9 $$';
    const asMended = { asked: [MENDED], hasRun: false, isNoted: true };
    expect(await routeWhereReading(thenKilled)).toEqual(asMended);
  });

  test('is asked about and runs as typed where bash cannot tell in time', async () => {
    const asTyped = { asked: [MENDABLE], hasRun: true, isNoted: false };
    expect(await routeWhereReading('exec sleep 1000')).toEqual(asTyped);
  });
});
