// TodoWrite in process, without any bash.
import { BashRouter, DEFAULT_SETTINGS, validateTodoList } from '../../dist/index.js';
import { lineOf, listsOf } from './lists.js';
import { paired, times } from './paired.js';
import { justBash } from './peer-just-bash.js';
import { openPeer } from './peers.js';

const NAME = 'TodoWrite in process';

export async function* routerRows({ runs }) {
  const router = new BashRouter();
  const ours = updatesOf(router, listsOf(10), 2000);
  yield {
    name: NAME,
    against: 'JSON.parse',
    ...(await paired(ours, parsesOf(listsOf(10), 10_000), runs)),
    goal: { of: 'ratio', atMost: 8 },
  };
  const changed = Array.from({ length: 200 }, (_, count) =>
    otherTexts(listsOf(10)[count % 10], count),
  );
  yield {
    name: `${NAME}, new texts`,
    against: 'JSON.parse',
    ...(await paired(updatesOf(router, changed, 2000), parsesOf(changed, 10_000), runs)),
    goal: { of: 'ratio', atMost: 8 },
  };
  yield {
    name: 'floor: parse, validate, freeze',
    against: 'JSON.parse',
    ...(await paired(floorOf(listsOf(10), 10_000), parsesOf(listsOf(10), 10_000), runs)),
  };
  const peer = await openPeer('just-bash', justBash);
  if (peer.leftOut) {
    yield { name: NAME, leftOut: peer.leftOut };
  } else {
    const lines = listsOf(10).map(lineOf);
    const other = times(100, (count) => peer.run(lines[count % lines.length]));
    yield {
      name: NAME,
      against: 'just-bash',
      ...(await paired(ours, other, runs)),
      goal: { of: 'ratio', atMost: 0.1 },
    };
  }
  yield* costPerItem(router, runs);
  await router.dispose();
}

/** A list of which no text is in another one. */
const otherTexts = (list, count) => list.replaceAll('chapter', `chapter ${count} of`);

/** Flat would be 1; what is above it is for the noise. */
const FLAT = 1.2;

async function* costPerItem(router, runs) {
  process.env.TODO_MAX_ITEMS = '1000';
  for (const count of [10, 100, 1000]) {
    const fewer = count / 10;
    const perItem = (items) => {
      const { run, parts } = updatesOf(router, listsOf(items), Math.max(20, 1000 / items));
      return { run, parts: parts * items };
    };
    yield {
      name: `an item of ${count.toLocaleString('en')}`,
      against: `an item of ${fewer}`,
      ...(await paired(perItem(count), perItem(fewer), runs)),
      goal: { of: 'ratio', atMost: FLAT },
    };
  }
  delete process.env.TODO_MAX_ITEMS;
}

function updatesOf(router, lists, parts) {
  const lines = lists.map(lineOf);
  return times(parts, async (count) => {
    const { exitCode, stderr } = await router.route(lines[count % lines.length]);
    if (exitCode !== 0) throw new Error(`TodoWrite ended with ${exitCode}: ${stderr}`);
  });
}

/** What no TodoWrite can leave out: no line is read, nothing is kept, compared or replied. */
function floorOf(lists, parts) {
  const run = () => {
    for (let count = 0; count < parts; count++) {
      const list = JSON.parse(lists[count % lists.length]);
      const { items } = validateTodoList(list, DEFAULT_SETTINGS);
      Object.freeze(items.map((item) => Object.freeze(Object.assign({}, item))));
    }
  };
  return { run, parts };
}

/** Without a promise for each call, which would cost a part of what is measured. */
function parsesOf(lists, parts) {
  const run = () => {
    let items = 0;
    for (let count = 0; count < parts; count++) {
      items += JSON.parse(lists[count % lists.length]).todos.length;
    }
    if (items !== 10 * parts) throw new Error('JSON.parse gave something else');
  };
  return { run, parts };
}
