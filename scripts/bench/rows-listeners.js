// Many listeners on one store: the cost of each call, and what they leave behind.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { TodoStore } from '../../dist/index.js';
import { itemsOf } from './lists.js';
import { paired } from './paired.js';

const LISTENERS = 1000;
const UPDATES = 10_000;
/** Linear would be 1; what is above it is for the noise. */
const LINEAR = 1.2;
const MOST_GROWTH_MEBIBYTES = 1;

export async function* listenerRows({ runs }) {
  yield {
    name: `one of ${LISTENERS.toLocaleString('en')} listeners`,
    against: `one of ${LISTENERS / 10}`,
    ...(await paired(calls(LISTENERS, UPDATES), calls(LISTENERS / 10, UPDATES), runs)),
    goal: { of: 'ratio', atMost: LINEAR },
  };
  yield {
    name: `one of ${UPDATES.toLocaleString('en')} updates`,
    against: `one of ${(UPDATES / 10).toLocaleString('en')}`,
    ...(await paired(calls(LISTENERS, UPDATES), calls(LISTENERS, UPDATES / 10), runs)),
    goal: { of: 'ratio', atMost: LINEAR },
  };
  const { growth, alive } = await whatIsLeft();
  yield {
    name: 'these updates, heap growth',
    unit: 'MiB',
    ours: growth,
    canBeNone: true,
    goal: { of: 'ours', atMost: MOST_GROWTH_MEBIBYTES },
  };
  yield {
    name: 'listeners left in memory',
    unit: '',
    ours: alive,
    canBeNone: true,
    goal: { of: 'ours', atMost: 0 },
  };
}

/** As many calls for each of those that are compared: stores of fewer listeners or updates are used one by one. */
function calls(listeners, updates) {
  const stores = (LISTENERS * UPDATES) / (listeners * updates);
  const run = () => {
    for (let count = 0; count < stores; count++) {
      const { store, heard } = listenedTo(listeners);
      update(store, updates);
      if (heard.calls !== listeners * updates) throw new Error(`${heard.calls} calls were heard`);
    }
  };
  return { parts: LISTENERS * UPDATES, run };
}

/** A store with so many listeners, and the functions that stop them. */
function listenedTo(count) {
  const store = new TodoStore();
  const heard = { calls: 0 };
  const listeners = Array.from({ length: count }, () => () => {
    heard.calls += 1;
  });
  const unsubscribe = listeners.map((listener) => store.onChange(listener));
  return { store, heard, unsubscribe, watched: listeners.map((listener) => new WeakRef(listener)) };
}

function update(store, updates) {
  // One item only, or the rest of an update would hide the listeners' cost.
  const items = itemsOf(1, 0);
  for (let count = 0; count < updates; count++) store.update(items);
}

async function whatIsLeft() {
  const { store, unsubscribe, watched } = listenedTo(LISTENERS);
  update(store, UPDATES / 10);
  const before = await heapAfterCollection();
  update(store, UPDATES - UPDATES / 10);
  const growth = (await heapAfterCollection()) - before;
  endAll(unsubscribe);
  await heapAfterCollection();
  const alive = watched.filter((listener) => listener.deref() !== undefined).length;
  // The store must outlive its listeners, or their collection would prove nothing.
  store.clear();
  return { growth, alive };
}

/** A separate function: in one that waits afterwards, the loop variable would hold the last listener. */
function endAll(unsubscribe) {
  for (const end of unsubscribe.splice(0)) end();
}

/** In MiB. */
async function heapAfterCollection() {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc');
  // A WeakRef releases its target only after the turn in which it was read.
  await nextTurn();
  collectGarbage();
  return process.memoryUsage().heapUsed / 2 ** 20;
}
