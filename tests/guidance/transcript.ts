import { type agentSession, items, notesOf, writeLine } from './agent-session.ts';

/**
 * A recorded session. A line that begins with `#` is a remark. For each line of the agent: its exit code, the number of bytes
 * that it printed and, after `$ `, the line; below it, indented, its further lines after `> `, the list that it wrote, and the
 * expected guidance. `[...]` is the previous list, in which the items after it have changed.
 *
 *     1  4210 $ npm test
 *             $ TodoWrite
 *                 [>] Fix it <- Fixing it
 *                 Note: ...
 */
const STEP = /^(?:(\d+) +(\d+)| +) \$ (.*)\n((?: {10,}.*\n)*)/gm;

const INDENT = ' '.repeat(14);

export interface Replay {
  /** The transcript with the actual guidance. */
  text: string;
  /** The bytes that the agent read from commands, and from guidance. */
  outputBytes: number;
  guidanceBytes: number;
  commands: number;
}

export async function replay(
  transcript: string,
  session: ReturnType<typeof agentSession>,
): Promise<Replay> {
  const replayed = {
    text: transcript.replace(STEP, ''),
    outputBytes: 0,
    guidanceBytes: 0,
    commands: 0,
  };
  let before: readonly string[] = [];
  for (const [step, exitCode = '0', bytes = '0', first = '', rest = ''] of transcript.matchAll(
    STEP,
  )) {
    const below = rest.split('\n').map((line) => line.trim());
    const line = [
      first,
      ...below.filter((each) => each.startsWith('> ')).map((each) => each.slice(2)),
    ].join('\n');
    const marked = below.filter((each) => each.startsWith('['));
    const written = marked[0] === '[...]' ? changed(before, marked.slice(1)) : marked;
    if (written.length > 0) before = written;
    const list = written[0] === '[]' ? [] : items(...written);
    const result =
      line === 'TodoWrite'
        ? await session.router.route(writeLine(list))
        : await session.run(line, {
            exitCode: Number(exitCode),
            stdout: 'x'.repeat(Number(bytes)),
            ...(written.length > 0 && { list }),
          });
    const reminders = result.reminders ?? [];
    const said = [...notesOf(result), ...reminders.flatMap((each) => each.split('\n'))];
    replayed.text += step.replace(/^ +Note: .*\n/gm, '');
    for (const each of said) {
      replayed.text += `${INDENT}${each}\n`;
      replayed.guidanceBytes += Buffer.byteLength(`${each}\n`);
    }
    replayed.outputBytes += Buffer.byteLength(result.stdout);
    replayed.commands += 1;
  }
  return replayed;
}

function changed(list: readonly string[], changes: readonly string[]): readonly string[] {
  const text = (item: string) => item.slice('[x] '.length);
  return list.map((item) => changes.find((each) => text(each) === text(item)) ?? item);
}
