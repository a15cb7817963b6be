// Records an agent at work in one half of a terminal, and `agent-shell watch` in the other, as animated SVG:
// docs/recording-dark.svg and docs/recording-light.svg. `npm run recording` writes them, in about a minute.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RecordedTerminal } from './recorded-terminal.js';
import { columnLeft, picture, rowTop, rowToSvg, THEMES } from './terminal-svg.js';

const COLUMNS = 108;
const ROWS = 18;
const VIEWER_COLUMNS = 48;
const LOOK_MS = 120;
const TYPING_MS = 35;
const READING_MS = 1100;
const LAST_FRAME_MS = 4000;
const TITLE =
  'A terminal in two halves: an agent that works through a plan with shell commands, and beside it the viewer, in which one task after the other is completed';

const PLAN = [
  ['Read the code', 'Reading the code'],
  ['Reproduce the bug', 'Reproducing the bug'],
  ['Mend the script', 'Mending the script'],
  ['Run the tests', 'Running the tests'],
];
/** The list with this item in progress. */
const listAt = (current) => {
  const statusOf = (index) =>
    index < current ? 'completed' : index === current ? 'in_progress' : 'pending';
  const todos = PLAN.map(([content, activeForm], index) => ({
    content,
    activeForm,
    status: statusOf(index),
  }));
  return JSON.stringify({ todos });
};

const SCRIPT = [
  'TodoWrite < plan-0.json',
  'cat slug',
  'TodoWrite < plan-1.json',
  "./slug 'A day in May'",
  'TodoWrite < plan-2.json',
  "sed -i 's|/ /-|// /-|' slug",
  'TodoWrite < plan-3.json',
  "./slug 'A day in May' | grep -x a-day-in-may.md",
  'TodoWrite < plan-4.json',
];

const plans = [0, 1, 2, 3, 4].map((current) => [`plan-${current}.json`, listAt(current)]);
for (const theme of ['dark', 'light']) {
  const folder = process.argv[2] ?? join(dirname(import.meta.dirname), 'docs');
  writeFileSync(join(folder, `recording-${theme}.svg`), toSvg(theme, await recorded(theme)));
}

/** The frames of the script, each with the time of its beginning. */
async function recorded(theme) {
  const terminal = new RecordedTerminal({
    columns: COLUMNS,
    rows: ROWS,
    prompt: '\\[\\e[32m\\]slug\\[\\e[0m\\] $ ',
    environment: 'TODO_PANEL=off',
    background: THEMES[theme].background,
    files: {
      slug: '#!/usr/bin/env bash\ntitle=${1,,}\necho "${title/ /-}.md"\n',
      ...Object.fromEntries(plans),
    },
  });
  try {
    terminal.split(VIEWER_COLUMNS, 'watch');
    await terminal.until((text) => text.startsWith('slug $'));
    await terminal.until((text) => text.trim() !== '', 1);
    let isOver = false;
    const played = play(terminal).finally(() => {
      isOver = true;
    });
    // Equal frames are one.
    const frames = [];
    for (; !isOver; await sleep(LOOK_MS)) {
      const rows = rowsOf([await terminal.lines(0), await terminal.lines(1)], theme);
      const isNew = rows.join('\n') !== frames.at(-1)?.rows.join('\n');
      if (isNew) frames.push({ at: performance.now(), rows });
    }
    await played;
    return frames;
  } finally {
    terminal.close();
  }
}

async function play(terminal) {
  await sleep(READING_MS);
  for (const command of SCRIPT) {
    for (const part of command.match(/.{1,3}/g)) {
      terminal.type(part);
      await sleep(TYPING_MS * part.length);
    }
    terminal.enter();
    await terminal.until(
      (text) => text.includes(`$ ${command}\n`) && text.trimEnd().endsWith('\nslug $'),
    );
    await sleep(READING_MS);
  }
  await sleep(2 * READING_MS);
}

/** The rows of both halves, those of the viewer moved to the right. */
function rowsOf([agent, viewer], theme) {
  const width = COLUMNS - VIEWER_COLUMNS - 1;
  return agent.map((line, y) => {
    const right = rowToSvg(viewer[y], VIEWER_COLUMNS, theme);
    const moved = right && `<g transform="translate(${columnLeft(width + 1)})">${right}</g>`;
    return rowToSvg(line, width, theme) + moved;
  });
}

function toSvg(theme, frames) {
  const start = frames[0].at;
  const total = frames.at(-1).at - start + LAST_FRAME_MS;
  const percent = (at) => `${Math.round((10_000 * (at - start)) / total) / 100}%`;
  const names = new Map();
  const nameOf = (row) => {
    if (!names.has(row)) names.set(row, `r${names.size}`);
    return names.get(row);
  };
  const bodies = frames.map(({ rows }, index) => {
    const used = rows.map((row, y) => row && `<use href="#${nameOf(row)}" y="${rowTop(y)}"/>`);
    return `<g class="f" style="animation-name:f${index}">${used.join('')}</g>\n`;
  });
  const keys = frames.map(({ at }, index) => {
    const end = frames[index + 1] && `${percent(frames[index + 1].at)}{visibility:hidden}`;
    const before = index === 0 ? '' : '0%{visibility:hidden}';
    return `@keyframes f${index}{${before}${percent(at)}{visibility:visible}${end ?? ''}}\n`;
  });
  const rows = [...names].map(([row, name]) => `<g id="${name}">${row}</g>\n`);
  const style = `<style>
.f{visibility:hidden;animation:${Math.round(total)}ms step-end infinite}
${keys.join('')}@media (prefers-reduced-motion:reduce){.f{animation:none}.f:last-of-type{visibility:visible}}
</style>
<defs>
${rows.join('')}</defs>
`;
  const x = columnLeft(COLUMNS - VIEWER_COLUMNS - 0.5);
  const divider = `<path d="M${x} 0v${rowTop(ROWS)}" stroke="#7f848e"/>\n`;
  return picture(
    { columns: COLUMNS, rows: ROWS, theme, title: TITLE, style },
    divider + bodies.join(''),
  );
}
