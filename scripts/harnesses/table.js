// The tables of docs/harnesses.md: what `npm run harnesses` checks. A test compares them.
import { linesFor } from './default-mode.js';
import { HARNESSES } from './harnesses.js';

const HEAD = [
  '',
  'instructions',
  'the list is put back',
  'reminders, failed checks',
  'finish gate',
  'a list for each session',
  'tried with',
];

/** By setup's name; the last cell is the source that was read where no version was tried. */
const ROWS = {
  claude: ['Claude Code', 'CLAUDE.md', 'start, resume, compaction', 'yes', 'yes', 'yes'],
  codex: [
    'Codex',
    'AGENTS.md',
    'start, resume, compaction',
    'reminders only: it reports no exit codes',
    'yes',
    'yes',
  ],
  gemini: [
    'Gemini CLI',
    'GEMINI.md',
    'start, resume, prompts after changes',
    'yes',
    'yes',
    'one per work tree',
  ],
  qwen: [
    'Qwen Code',
    'QWEN.md',
    'first prompt, compaction, prompts after changes',
    'yes',
    'yes',
    'one per work tree',
  ],
  opencode: [
    'opencode',
    'AGENTS.md',
    'first prompt, compaction',
    'yes',
    'no: it has no such hook',
    'yes',
  ],
  cursor: [
    'Cursor',
    'AGENTS.md',
    'start',
    'yes',
    'yes',
    'one per work tree',
    'from its documentation only',
  ],
  kimi: [
    'Kimi Code',
    'AGENTS.md',
    'with `--user`: first prompt, prompts after compaction and changes',
    'on stderr of `TodoWrite`',
    'with `--user`',
    'one per work tree',
  ],
  crush: [
    'Crush',
    'AGENTS.md',
    '`agent-shell prime`',
    'on stderr of `TodoWrite`',
    'no: it has no such hook',
    'if you set TODO_SESSION',
    'its source',
  ],
  agents: [
    'most others',
    'AGENTS.md',
    '`agent-shell prime`',
    'on stderr of `TodoWrite`',
    'no',
    'if you set TODO_SESSION',
    '–',
  ],
};

/** By setup's name: what was set up. */
const ASKED = {
  claude: '`setup claude`',
  codex: '`setup codex`',
  gemini: '`setup gemini --user`',
  qwen: '`setup qwen`',
  opencode: 'the permissions below',
};

export function askedTable() {
  const rows = Object.entries(ASKED).map(([name, setup]) => {
    const { ours, others } = linesFor(HARNESSES.find((one) => one.name === name));
    const asked =
      others.length > 0 ? `${others.length} of ${others.length}` : 'none: they run in its sandbox';
    return [ROWS[name][0], `0 of ${ours.length}`, asked, setup];
  });
  const head = [
    'asked in the mode that asks',
    'lines of agent commands alone',
    'other lines',
    'after',
  ];
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

const line = (cells) => `|${cells.map((cell) => ` ${cell} `.replace(/^ {2}$/, ' ')).join('|')}|`;

export const TABLE_NAMES = Object.keys(ROWS);

export function harnessTable() {
  const rows = Object.entries(ROWS).map(([name, cells]) => [
    ...cells,
    ...HARNESSES.filter((one) => one.name === name).map(({ version }) => version),
  ]);
  return [line(HEAD), `|${'---|'.repeat(HEAD.length)}`, ...rows.map(line)].join('\n');
}
