// The host for programs in other languages, under the load of one client that waits for each answer.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { lineOf, listsOf } from './lists.js';
import { median } from './paired.js';
import { hasProc, residentMebibytes } from './proc.js';
import { executable } from './processes.js';

const REQUESTS = 100_000;
const WARM_AFTER = 20_000;
/** One request in so many is for bash. */
const NATIVE_EVERY = 20;
/** The memory at one moment swings with the garbage collector; it is the median of ten looks, so far apart. */
const LOOK_EVERY = 500;
const MOST_GROWTH_MEBIBYTES = 10;

export async function* jsonlRows() {
  const client = new Client();
  const lines = listsOf(10).map(lineOf);
  const looks = [];
  const start = performance.now();
  for (let count = 1; count <= REQUESTS; count++) {
    await client.send(count % NATIVE_EVERY === 0 ? 'echo hi' : lines[count % lines.length]);
    if (hasProc && count % LOOK_EVERY === 0) looks.push(residentMebibytes(client.pid));
  }
  const seconds = (performance.now() - start) / 1000;
  await client.end();
  const name = 'agent-shell --jsonl';
  yield { name: `${name}, requests`, unit: '/s', ours: REQUESTS / seconds };
  const growth = `${name}, memory growth`;
  if (!hasProc) {
    yield { name: growth, leftOut: 'no /proc' };
    return;
  }
  const memoryAfter = (requests) => median(looks.slice(0, requests / LOOK_EVERY).slice(-10));
  yield {
    name: growth,
    unit: 'MiB',
    ours: memoryAfter(REQUESTS) - memoryAfter(WARM_AFTER),
    canBeNone: true,
    other: memoryAfter(WARM_AFTER),
    goal: { of: 'ours', atMost: MOST_GROWTH_MEBIBYTES },
  };
}

export class Client {
  #host;
  #answers;
  #ended;
  #count = 0;

  constructor(env = process.env) {
    this.#host = spawn(process.execPath, [executable('agent-shell'), '--jsonl'], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env,
    });
    this.#answers = createInterface({ input: this.#host.stdout })[Symbol.asyncIterator]();
    this.#ended = new Promise((resolve) => this.#host.once('close', resolve));
  }

  get pid() {
    return this.#host.pid;
  }

  async send(command) {
    this.#count += 1;
    this.#host.stdin.write(`${JSON.stringify({ id: this.#count, command })}\n`);
    const { value } = await this.#answers.next();
    const { id, exitCode } = JSON.parse(value);
    if (id !== this.#count || exitCode !== 0) throw new Error(`Request ${this.#count}: ${value}`);
  }

  end() {
    this.#host.stdin.end();
    return this.#ended;
  }
}
