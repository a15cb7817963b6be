import { describe, expect, test } from 'vitest';
import { TestAgent } from '../helpers/agents.ts';
import { startSession } from '../helpers/session.ts';

describe.each([
  [100, '100 bytes', 100],
  [25, '100 KB', 100_000],
])('%i concurrent calls from one line, with %s each', (calls, _size, size) => {
  test('each get their own reply, whether by argument or by standard input', async () => {
    const agent = new TestAgent(({ argv, stdin }) => ({
      stdout: `${argv[0]} ${argv[1]} ${stdin}`,
      stderr: `error of ${argv[0]}\n`,
      exitCode: Number(argv[0]) % 256,
    }));
    const session = startSession({ handlers: [agent] });
    const line = `text=$(head -c ${size} /dev/zero | tr '\\0' x)
      for i in {1..${calls}}; do { printf %s "$i $text" | Agent $i "$text" - >out.$i 2>err.$i; echo $? >code.$i; } & done; wait
      for i in {1..${calls}}; do
        [ "$(<out.$i)" = "$i $text $i $text" ] && [ "$(<err.$i)" = "error of $i" ] && [ "$(<code.$i)" = $((i % 256)) ] || echo "wrong: $i"
      done`;
    expect(await session.run(line)).toEqual({ stdout: '', stderr: '', exitCode: 0 });
    expect(new Set(agent.calls.map(({ argv }) => argv[0])).size).toBe(calls);
  });
});

test('a script without the slots of a host says that the host has ended', async () => {
  const session = startSession({ handlers: [new TestAgent()] });
  const result = await session.run(
    'cp -r "$(dirname "$(type -P Agent)")" scripts; ./scripts/Agent x',
  );
  const stderr = 'Agent: its agent shell has ended\n';
  expect(result).toEqual({ stdout: '', stderr, exitCode: 1 });
});
