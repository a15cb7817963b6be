// Draws the README's pictures, docs/panel-dark.svg and docs/panel-light.svg, from a terminal with an agent-shell in it.
// `npm run picture` writes the files; with a folder as argument they go there.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RecordedTerminal } from './recorded-terminal.js';
import { picture, rowTop, rowToSvg } from './terminal-svg.js';

const COLUMNS = 80;
const ROWS = 16;
const TITLE =
  'A terminal: commands and their output, a prompt, and below it a box with five tasks, one of them in progress';

const PLAN = [
  ['completed', 'Read the code', 'Reading the code'],
  ['completed', 'Reproduce the bug', 'Reproducing the bug'],
  ['in_progress', 'Mend the script', 'Mending the script'],
  ['pending', 'Run the tests', 'Running the tests'],
  ['pending', 'Write the changelog', 'Writing the changelog'],
];
const todos = PLAN.map(([status, content, activeForm]) => ({ content, activeForm, status }));

const terminal = new RecordedTerminal({
  columns: COLUMNS,
  rows: ROWS,
  prompt: '\\[\\e[32m\\]slug\\[\\e[0m\\] $ ',
  files: {
    slug: '#!/usr/bin/env bash\ntitle=${1,,}\necho "${title/ /-}.md"\n',
    'plan.json': JSON.stringify({ todos }),
  },
});
try {
  await terminal.until((text) => text.startsWith('slug $'));
  for (const command of [
    "./slug 'Minutes of the May meeting'",
    'TodoWrite < plan.json',
    'tail -n 1 slug',
  ]) {
    terminal.enter(command);
    const isDone = (text) =>
      text.includes(`$ ${command}\n`) && /\nslug \$ *(\n+┌.*)?$/s.test(text.trimEnd());
    await terminal.until(isDone);
  }
  await terminal.until((text) => /\nslug \$ *\n+┌─ Tasks .* 2\/5 ─┐\n.*└/s.test(text));
  const lines = await terminal.lines();
  const last = lines.findLastIndex((line) => line.translateToString(true) !== '');
  const shown = lines.slice(0, last + 1);
  for (const theme of ['dark', 'light']) {
    const rows = shown.map((line, y) => {
      // The time is another one each time.
      const row = rowToSvg(line, COLUMNS, theme).replace(/since \d\d:\d\d/, 'since 09:41');
      return row && `<g transform="translate(0 ${rowTop(y)})">${row}</g>\n`;
    });
    const svg = picture(
      { columns: COLUMNS, rows: shown.length, theme, title: TITLE },
      rows.join(''),
    );
    const folder = process.argv[2] ?? join(dirname(import.meta.dirname), 'docs');
    writeFileSync(join(folder, `panel-${theme}.svg`), svg);
  }
} finally {
  terminal.close();
}
