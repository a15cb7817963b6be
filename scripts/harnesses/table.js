// The table of docs/harnesses.md: what each harness does with what setup adds. A test compares the two.

const HEAD = [
  '',
  'instructions',
  'the list is put back',
  'reminders, failed checks',
  'finish gate',
  'a list for each session',
  'tried with',
];

/** By the name for setup; the last cell is the version that was tried, or what was read instead. */
const ROWS = {
  claude: ['Claude Code', 'CLAUDE.md', 'start, resume, compaction', 'yes', 'yes', 'yes', '2.1.197'],
  codex: [
    'Codex',
    'AGENTS.md',
    'start, resume, compaction',
    'reminders; it does not tell exit codes, so nothing is known to have failed',
    'yes',
    'yes',
    '0.169.0',
  ],
  gemini: [
    'Gemini CLI',
    'GEMINI.md',
    'start, resume, and at a prompt if the list has changed or ten commands have run',
    'yes',
    'yes',
    'no: one for the work tree',
    '0.61.0',
  ],
  qwen: [
    'Qwen Code',
    'QWEN.md',
    'first prompt, compaction, and at a prompt as for Gemini CLI',
    'yes',
    'yes',
    'no: one for the work tree',
    '0.15.10',
  ],
  opencode: [
    'opencode',
    'AGENTS.md',
    'first prompt, compaction',
    'yes',
    'no: nothing asks before it stops',
    'yes',
    '1.18.33',
  ],
  cursor: [
    'Cursor',
    'AGENTS.md',
    'start',
    'yes',
    'yes',
    'no: one for the work tree',
    'from its documentation only',
  ],
  kimi: [
    'Kimi CLI',
    'AGENTS.md',
    '`agent-shell prime`',
    'on stderr of `TodoWrite`',
    'with `--user`: its hooks are those of all projects',
    'no: one for the work tree',
    'its source, 1.49.0',
  ],
  crush: [
    'Crush',
    'AGENTS.md',
    '`agent-shell prime`',
    'on stderr of `TodoWrite`',
    'no: nothing asks before it stops',
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
  const line = (cells) => `|${cells.map((cell) => ` ${cell} `.replace(/^ {2}$/, ' ')).join('|')}|`;
  return [line(HEAD), `|${'---|'.repeat(HEAD.length)}`, ...rows.map(line)].join('\n');
}
