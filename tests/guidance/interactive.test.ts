import { afterEach, expect, test } from 'vitest';
import { hasTmux, TmuxTerminal } from '../helpers/tmux.ts';
import { items, writeLine } from './agent-session.ts';

let terminal: TmuxTerminal | undefined;
afterEach(() => terminal?.close());

test.skipIf(!hasTmux)(
  'interactively a reminder is dim, on lines of its own, before the prompt',
  async () => {
    const agentShell = `${process.cwd()}/dist/bin/agent-shell.cjs`;
    terminal = new TmuxTerminal(`TODO_REMINDER_TURNS=2 node ${agentShell}`, { columns: 150 });
    const first = await terminal.until('a prompt', (text) => text.endsWith(' $'));
    const prompt = first.split('\n').at(-1);
    terminal.enter(writeLine(items('[>] Fix it', '[ ] Ship it')));
    await terminal.until('the panel', (text) => text.includes('○ Ship it'));
    terminal.enter('printf unfinished');
    await terminal.until('the next prompt', (text) => text.includes(`\nunfinished\n${prompt}`));
    terminal.enter('printf again');
    const screen = await terminal.until('a reminder', (text) => text.includes('Note: [ ] Ship it'));
    expect(screen).toContain(`again
Note: no TodoWrite in the last 2 commands, 2 unfinished items are left. Update the list if it is out of date:
Note: [>] Fix it
Note: [ ] Ship it
${prompt}`);
    // Where rows follow each other in one style, tmux says so once.
    const styled = terminal.styledScreen().replaceAll('\x1b[0m\n\x1b[2m', '\n');
    expect(styled).toMatch(/\x1b\[2mNote: no TodoWrite[^\x1b]*\nNote: \[ \] Ship it\s*\x1b\[0m/);
  },
);
