// The table of docs/harnesses.md: the features of each harness. A test compares the two.

const HEAD = [
  '',
  'instructions',
  'the list is put back',
  'reminders, failed checks',
  'finish gate',
  'a list for each session',
  'tried with',
];

/** By setup's name; the last cell is the tested version, or the source that was read instead. */
const ROWS = {
  claude: ['Claude Code', 'CLAUDE.md', 'start, resume, compaction', 'yes', 'yes', 'yes', '2.1.197'],
  codex: [
    'Codex',
    'AGENTS.md',
    'start, resume, compaction',
    'reminders only: it reports no exit codes',
    'yes',
    'yes',
    '0.169.0',
  ],
  gemini: [
    'Gemini CLI',
    'GEMINI.md',
    'start, resume, prompts after changes',
    'yes',
    'yes',
    'one per work tree',
    '0.61.0',
  ],
  qwen: [
    'Qwen Code',
    'QWEN.md',
    'first prompt, compaction, prompts after changes',
    'yes',
    'yes',
    'one per work tree',
    '0.15.10',
  ],
  opencode: [
    'opencode',
    'AGENTS.md',
    'first prompt, compaction',
    'yes',
    'no: it has no such hook',
    'yes',
    '1.18.33',
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
    'Kimi CLI',
    'AGENTS.md',
    '`agent-shell prime`',
    'on stderr of `TodoWrite`',
    'only with `--user`',
    'one per work tree',
    'its source, 1.49.0',
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

/** By setup's name: lines of agent commands alone, other lines, what was set up. */
const ASKED = {
  claude: ['Claude Code', '0 of 13', '14 of 14', '`setup claude`'],
  codex: ['Codex', '0 of 13', 'none: they run in its sandbox', '`setup codex`'],
  gemini: ['Gemini CLI', '0 of 12', '14 of 14', '`setup gemini --user`'],
  qwen: ['Qwen Code', '0 of 13', '14 of 14', '`setup qwen`'],
};

/** @param found what `inDefaultMode` counted just now, by the name for setup. */
export function askedTable(found = {}) {
  const rows = Object.entries(ASKED).map(([name, [title, ours, others, setup]]) => {
    const { asked, unasked, ofOurs, ofOthers } = found[name] ?? {};
    return [
      title,
      asked ? `${asked.length} of ${ofOurs}` : ours,
      ofOthers ? `${ofOthers - unasked.length} of ${ofOthers}` : others,
      setup,
    ];
  });
  const head = ['asked in default mode', 'lines of agent commands alone', 'other lines', 'after'];
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

const line = (cells) => `|${cells.map((cell) => ` ${cell} `.replace(/^ {2}$/, ' ')).join('|')}|`;

export const TABLE_NAMES = Object.keys(ROWS);

/**
 * @param {Record<string, string>} tried the versions that ran just now, by the name for setup
 * @returns {string} the table in Markdown
 */
export function harnessTable(tried = {}) {
  const rows = Object.entries(ROWS).map(([name, cells]) => {
    const version = tried[name];
    return version === undefined ? cells : [...cells.slice(0, -1), version];
  });
  return [line(HEAD), `|${'---|'.repeat(HEAD.length)}`, ...rows.map(line)].join('\n');
}
