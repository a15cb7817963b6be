import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nearName, nearNameText } from '../command/near-names.ts';
import { answerPrompt, showAtPrompt } from '../shell/prompt-panel.ts';
import { readStandardInput, writeAll } from '../system/standard-io.ts';

// `agent-shell prompt-panel`: the hooks of an interactive agent-shell (interactive.bash) run it at a prompt, with the terminal
// on descriptor 3. A command that changes a list while such a shell waits runs it with `again`, and `printed` if the command
// has written to the terminal. `not-found`, with a name that bash does not know, says which command was meant.

const MOST_JOURNAL_BYTES = 8 * 1024 * 1024;
const TERMINAL = 3;

async function main([mode = 'auto', promptRows = '1', hasRun]: readonly string[]): Promise<void> {
  if (mode === 'not-found') return sayNearName(promptRows);
  const environment = process.env;
  const directory = process.cwd();
  if (mode === 'again') return showAtPrompt(environment, directory, promptRows === 'printed');
  const journal = readStandardInput(MOST_JOURNAL_BYTES).toString().split('\0');
  const prompt = { environment, directory, terminal: TERMINAL, promptRows: Number(promptRows) };
  writeAll(1, await answerPrompt({ ...prompt, mode, hasRun: hasRun === '1', journal }));
}

/** @throws Error if no command has nearly this name. */
function sayNearName(name: string): void {
  const commands = readdirSync(join(dirname(process.argv[1] ?? ''), 'commands'));
  const meant = nearName(name, commands);
  if (meant === undefined) throw new Error('no such command');
  writeAll(1, nearNameText(name, meant));
}

main(process.argv.slice(3)).catch(() => {
  // Commands that use the list report what is wrong with it; a prompt only shows what there is.
  process.exitCode = 1;
});
