import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nearNameText } from '../base/command/near-names.ts';
import { writeAll } from '../base/system/files.ts';
import { readStandardInput } from '../base/system/standard-io.ts';
import { answerPrompt, showAtPrompt } from '../prompt/prompt-panel.ts';
import { connectToServers } from '../servers/server-storage.ts';

connectToServers();

// `agent-shell prompt-panel`: the hooks of an interactive agent-shell (prompt-hooks.bash) run it at a prompt, with the terminal
// on descriptor 3. `again` draws the panel below a waiting prompt, after a change of `todos` or `tasks` in the background. `not-found`
// suggests an agent command for an unknown name.

const MOST_JOURNAL_BYTES = 8 * 1024 * 1024;
const TERMINAL = 3;

async function runPromptPanel([mode = 'auto', argument = '']: readonly string[]): Promise<void> {
  if (mode === 'not-found') return sayNearName(argument);
  const environment = process.env;
  const directory = process.cwd();
  if (mode === 'again') {
    if (argument !== 'todos' && argument !== 'tasks') throw new Error(`'${argument}' is no list`);
    return showAtPrompt(environment, directory, argument);
  }
  const journal = readStandardInput(MOST_JOURNAL_BYTES).toString().split('\0');
  const prompt = { environment, directory, terminal: TERMINAL, mode, journal };
  writeAll(
    1,
    await answerPrompt({ ...prompt, hasRun: argument === '1', isReading: argument === 'reading' }),
  );
}

/** Throws if no command has a similar name. */
function sayNearName(name: string): void {
  const commands = readdirSync(join(dirname(process.argv[1] ?? ''), 'commands'));
  const text = nearNameText(name, commands);
  if (text === undefined) throw new Error('no such command');
  writeAll(1, text);
}

runPromptPanel(process.argv.slice(3)).catch(() => {
  // Commands that use the list report what is wrong with it.
  process.exitCode = 1;
});
