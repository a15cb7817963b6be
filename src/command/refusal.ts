import { type CommandResult, failed } from './agent-command.ts';

/** What is wrong with an input, in lines without their leading `- `. */
export interface Problems {
  readonly lines: readonly string[];
  /** How many more there are that `lines` does not hold. */
  readonly unlisted?: number;
  /** Lines that come last and are always shown. */
  readonly closing?: readonly string[];
}

const NONE: Problems = { lines: [] };
const MAX_LINES = 20;
/** All of stderr is at most 4 KB; the rest of it is for the first and last lines and for warnings. */
const MAX_BYTES_OF_LINES = 3000;

/** A refused request: exit code 1, nothing on stdout, and an error that lists everything to fix. */
export function refusal(title: string, problems: Problems = NONE, ending = ''): CommandResult {
  return failed('refused', `Error: ${title}\n${bulletList(problems)}${ending}`);
}

function bulletList({ lines, unlisted = 0, closing = [] }: Problems): string {
  const size = (line: string) => Buffer.byteLength(line) + '- \n'.length;
  let room = MAX_BYTES_OF_LINES - closing.reduce((sum, line) => sum + size(line), 0);
  const shown: string[] = [];
  for (const line of lines.slice(0, MAX_LINES - closing.length)) {
    room -= size(line);
    if (room < 0) break;
    shown.push(line);
  }
  const hidden = unlisted + lines.length - shown.length;
  const all = [...shown, ...closing, ...(hidden > 0 ? [`and ${hidden} more`] : [])];
  return all.map((line) => `- ${line}\n`).join('');
}
