import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memberArguments } from './engines.ts';
import { eventually } from './eventually.ts';
import { hasPrograms, isHere } from './machine.ts';

// Three members of etcd, each in its own network, with a switch between them from which a member can be unplugged.

/** True if this user may create networks here and has the programs for it. */
export const canCutOff =
  hasPrograms('unshare', 'nsenter', 'ip') &&
  isHere(
    'the right to add networks',
    spawnSync('unshare', ['--net', 'ip', 'link', 'add', 'try', 'type', 'bridge']).status === 0,
  );

const SIZE = 3;
const addressOf = (index: number) => `10.77.0.${index + 1}`;
const endpointOf = (index: number) => `${addressOf(index)}:2379`;

export class CutOffCluster {
  readonly #folder = mkdtempSync(join(tmpdir(), 'etcd-networks-'));
  /** A process that holds the network of each member; the last one holds the switch's. */
  readonly #holders: ChildProcess[] = [];
  readonly #members: ChildProcess[] = [];

  /** @param option one more for each member. */
  static async start(option?: string, deadlineMs?: number): Promise<CutOffCluster> {
    const cluster = new CutOffCluster();
    try {
      await cluster.#start(option ? [option] : []);
      await eventually('a member leads', () => cluster.leader() !== undefined, deadlineMs);
      return cluster;
    } catch (error) {
      cluster.stop();
      throw error;
    }
  }

  async #start(options: readonly string[]): Promise<void> {
    for (let index = 0; index <= SIZE; index++) await this.#makeNetwork();
    this.#ip(SIZE, 'link', 'add', 'switch', 'type', 'bridge');
    this.#ip(SIZE, 'addr', 'add', '10.77.0.100/24', 'dev', 'switch');
    this.#ip(SIZE, 'link', 'set', 'switch', 'up');
    for (let index = 0; index < SIZE; index++) {
      const peer = ['peer', 'name', 'eth0', 'netns', String(this.#holders[index]?.pid)];
      this.#ip(SIZE, 'link', 'add', `port${index}`, 'type', 'veth', ...peer);
      this.#ip(SIZE, 'link', 'set', `port${index}`, 'master', 'switch', 'up');
      this.#ip(index, 'addr', 'add', `${addressOf(index)}/24`, 'dev', 'eth0');
      this.#ip(index, 'link', 'set', 'eth0', 'up');
    }
    const peers = Array.from({ length: SIZE }, (_, at) => `http://${addressOf(at)}:2380`);
    for (let index = 0; index < SIZE; index++) {
      const argv = memberArguments(this.#folder, peers, index, `http://${endpointOf(index)}`);
      const [program = '', ...rest] = this.within(index, 'etcd', ...argv, ...options);
      this.#members.push(spawn(program, rest, { stdio: 'ignore' }));
    }
  }

  /** For one or all members. */
  url(indices: readonly number[] = [0, 1, 2]): string {
    return `etcd://${indices.map(endpointOf).join(',')}/acme`;
  }

  /** The words of a command that runs it in the network of a member; by default beside the switch. */
  within(index: number | undefined, ...command: string[]): string[] {
    return ['nsenter', `--net=/proc/${this.#holders[index ?? SIZE]?.pid}/ns/net`, ...command];
  }

  /** The leader according to most members that the switch reaches. */
  leader(): number | undefined {
    const endpoints = Array.from({ length: SIZE }, (_, index) => endpointOf(index)).join(',');
    const ask = ['etcdctl', '--endpoints', endpoints, '--command-timeout=1s', 'endpoint', 'status'];
    const [program = '', ...rest] = this.within(undefined, ...ask);
    const { stdout } = spawnSync(program, rest, {
      encoding: 'utf8',
      env: { ...process.env, ETCDCTL_API: '3' },
    });
    const leading = stdout.split('\n').find((line) => line.split(', ')[4] === 'true');
    const index = Number(/10\.77\.0\.(\d)/.exec(leading ?? '')?.[1]) - 1;
    return leading === undefined ? undefined : index;
  }

  /** From now on no packets reach or leave this member, and nobody is told. */
  unplug(index: number): void {
    this.#ip(SIZE, 'link', 'set', `port${index}`, 'nomaster');
  }

  plugIn(index: number): void {
    this.#ip(SIZE, 'link', 'set', `port${index}`, 'master', 'switch');
  }

  stop(): void {
    // The networks end with their holders.
    for (const child of [...this.#members, ...this.#holders]) child.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10 });
  }

  async #makeNetwork(): Promise<void> {
    const holder = spawn('unshare', ['--net', 'sleep', 'infinity'], { stdio: 'ignore' });
    this.#holders.push(holder);
    const networkOf = (pid: number | string | undefined) => readlinkSync(`/proc/${pid}/ns/net`);
    await eventually('it has one', () => networkOf(holder.pid) !== networkOf('self'));
    this.#ip(this.#holders.length - 1, 'link', 'set', 'lo', 'up');
  }

  #ip(index: number, ...argv: string[]): void {
    const [program = '', ...rest] = this.within(index, 'ip', ...argv);
    execFileSync(program, rest, { stdio: ['ignore', 'ignore', 'pipe'] });
  }
}
