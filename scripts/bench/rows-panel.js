// Drawing: updates of a list of 50 items, each drawn at once.
import { TaskPanel, TodoStore } from '../../dist/index.js';
import { itemsOf } from './lists.js';
import { median } from './paired.js';

const ITEMS = 50;
const NAME = `a panel update, ${ITEMS} items`;

export async function* panelRows({ runs }) {
  const panel = new MeasuredPanel();
  panel.update(0);
  const [sizes, times] = [[], []];
  for (let run = 0; run < 20 * runs; run++) {
    const start = performance.now();
    sizes.push(panel.update(1 + (run % (ITEMS - 1))));
    times.push(performance.now() - start);
  }
  panel.dispose();
  yield { name: NAME, unit: 'ms', ours: median(times), goal: { of: 'ours', atMost: 0.5 } };
  yield {
    name: NAME,
    unit: 'bytes',
    ours: Math.max(...sizes),
    goal: { of: 'ours', atMost: 2000 },
  };
}

/** On a terminal that only counts, with a clock whose next frame is due as soon as it is asked for. */
class MeasuredPanel {
  #written = 0;
  #runFrame = () => {};
  #store = new TodoStore();
  #panel = new TaskPanel({
    store: this.#store,
    stream: { isTTY: true, columns: 80, rows: 24, write: (text) => this.#count(text) },
    env: { LANG: 'C.UTF-8', FORCE_COLOR: '1' },
    clock: { now: () => 0, after: (milliseconds, callback) => this.#after(milliseconds, callback) },
  });

  /** Returns the bytes that the terminal received. */
  update(done) {
    this.#written = 0;
    this.#store.update(itemsOf(ITEMS, done));
    this.#runFrame();
    return this.#written;
  }

  dispose() {
    this.#panel.dispose();
  }

  #count(text) {
    this.#written += Buffer.byteLength(text);
  }

  #after(milliseconds, callback) {
    // The slower timer is that of the pulse.
    if (milliseconds < 100) this.#runFrame = callback;
    return () => {};
  }
}
