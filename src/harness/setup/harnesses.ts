import { ALLOWED } from '../hook/own-line.ts';
import opencodePlugin from './opencode-plugin.txt';

export interface Hooks {
  readonly file: string;
  /** Used instead if it already has hooks: Codex complains about hooks in both files. */
  readonly otherFile?: string;
  /**
   * `groups`: JSON, an entry has a list of handlers. `handlers`: JSON, an entry is a handler. `tables`: TOML, each handler
   * is a table.
   */
  readonly form: 'groups' | 'handlers' | 'tables';
  readonly handler: object;
  /** The events, each with the properties of its entry. */
  readonly events: Readonly<Record<string, object>>;
  /** Events whose reply lets lines of agent commands run without a question. */
  readonly permission?: Readonly<Record<string, object>>;
  /** The event before the agent stops, for the finish gate. */
  readonly stop: string;
  readonly version?: number;
  /** The harness ignores a file that has a comment. */
  readonly isStrict?: boolean;
  /** The setting with which it runs none. */
  readonly offSwitch?: string;
  /** It reads none of a project. */
  readonly isOfUserOnly?: boolean;
}

export interface Harness {
  readonly title: string;
  readonly program?: string;
  /** Its shells inherit its PATH; no login shell sets another. */
  readonly inheritsPath?: boolean;
  /** The folder of its settings in a project. */
  readonly folder?: string;
  /** For all projects: a variable, or else a path in the home folder. */
  readonly userFolder?: { readonly variable?: string; readonly path: string };
  /** Other files of a project that show the harness is used there. */
  readonly signs: readonly string[];
  readonly instructions: Readonly<{
    project: string;
    user?: string;
    /** Read in their place if it is there. */
    override?: string;
    /** Read if they are missing; after `~/` in the home folder. */
    fallback?: Readonly<{ project: string; user: string }>;
  }>;
  /** True if its settings may name another file of instructions. */
  readonly namesInstructions?: boolean;
  readonly hooks?: Hooks;
  readonly plugin?: { readonly path: string; readonly content: string };
  /** The file of settings that lets commands in its sandbox write lists. */
  readonly sandbox?: string;
  /** A file of the user that lets lines of agent commands run without a question; it reads none of a project. */
  readonly policy?: { readonly path: string; readonly content: string };
  /** The remaining steps for the user. */
  readonly next?: string;
}

const SECONDS = { timeout: 10 };
const MILLISECONDS = { name: 'todowrite', timeout: 10_000 };
const CLAUDE_EVENTS = (shell: string, edits: string) => ({
  SessionStart: {},
  UserPromptSubmit: {},
  PostToolUse: { matcher: `${shell}|${edits}` },
  PostToolUseFailure: { matcher: shell },
  Stop: {},
});

/** The priorities are the lowest, so rules of the user win. Gemini CLI matches `commandRegex` with the JSON of the arguments. */
const GEMINI_POLICY = String.raw`# Written by ${'`agent-shell setup gemini --user`'}: lines of the task list's commands alone run without a question.
[[rule]]
toolName = "run_shell_command"
commandPrefix = ${JSON.stringify([...ALLOWED])}
decision = "allow"
priority = 0

[[rule]]
toolName = "run_shell_command"
commandRegex = '''cd [\w./-]+"'''
decision = "allow"
priority = 0

# A quoted heredoc that ends the line.
[[rule]]
toolName = "run_shell_command"
commandRegex = '''(TodoWrite|TaskCreate|TaskUpdate) <<'EOF'(?![^\0]*\\nEOF\\n)\\n[^\0]*\\nEOF"'''
decision = "allow"
priority = 1
allowRedirection = true

# Options that reach other lists or overrule an owner.
[[rule]]
toolName = "run_shell_command"
commandRegex = '''(Todo|Task)\w+ [^\0]*--(session|list|force)\b'''
decision = "ask_user"
priority = 2
`;

export const HARNESSES = {
  claude: {
    title: 'Claude Code',
    program: 'claude',
    inheritsPath: true,
    next: `Restart Claude Code. Then watch its list in a second terminal: agent-shell watch
For its status line, in ~/.claude/settings.json:
  "statusLine": { "type": "command", "command": "TodoRead --line" }`,
    folder: '.claude',
    userFolder: { variable: 'CLAUDE_CONFIG_DIR', path: '.claude' },
    signs: ['CLAUDE.md'],
    instructions: { project: 'CLAUDE.md', user: 'CLAUDE.md' },
    hooks: {
      file: 'settings.json',
      isStrict: true,
      offSwitch: 'disableAllHooks',
      form: 'groups',
      handler: SECONDS,
      events: { ...CLAUDE_EVENTS('Bash', 'Edit|Write|NotebookEdit'), SessionEnd: {} },
      permission: { PreToolUse: { matcher: 'Bash' } },
      stop: 'Stop',
    },
  },
  codex: {
    title: 'Codex',
    program: 'codex',
    folder: '.codex',
    userFolder: { variable: 'CODEX_HOME', path: '.codex' },
    signs: [],
    instructions: { project: 'AGENTS.md', user: 'AGENTS.md', override: 'AGENTS.override.md' },
    hooks: {
      file: 'hooks.json',
      isStrict: true,
      otherFile: 'config.toml',
      form: 'groups',
      handler: SECONDS,
      events: {
        SessionStart: {},
        UserPromptSubmit: {},
        PostToolUse: { matcher: 'Bash|apply_patch' },
        Stop: {},
      },
      stop: 'Stop',
    },
    sandbox: 'config.toml',
    next: 'Codex runs a hook once you trust it: type /hooks in Codex.',
  },
  gemini: {
    title: 'Gemini CLI',
    program: 'gemini',
    inheritsPath: true,
    folder: '.gemini',
    userFolder: { path: '.gemini' },
    signs: ['GEMINI.md'],
    instructions: { project: 'GEMINI.md', user: 'GEMINI.md' },
    namesInstructions: true,
    hooks: {
      file: 'settings.json',
      form: 'groups',
      handler: MILLISECONDS,
      events: {
        SessionStart: {},
        BeforeAgent: {},
        AfterTool: { matcher: 'run_shell_command|replace|write_file' },
        PreCompress: {},
        AfterAgent: {},
      },
      stop: 'AfterAgent',
    },
    policy: {
      path: 'policies/todowrite.toml',
      content: GEMINI_POLICY,
    },
  },
  qwen: {
    title: 'Qwen Code',
    program: 'qwen',
    inheritsPath: true,
    folder: '.qwen',
    userFolder: { variable: 'QWEN_HOME', path: '.qwen' },
    signs: ['QWEN.md'],
    instructions: { project: 'QWEN.md', user: 'QWEN.md' },
    namesInstructions: true,
    hooks: {
      file: 'settings.json',
      offSwitch: 'disableAllHooks',
      form: 'groups',
      handler: MILLISECONDS,
      events: CLAUDE_EVENTS('run_shell_command', 'edit|write_file'),
      permission: { PermissionRequest: { matcher: 'run_shell_command' } },
      stop: 'Stop',
    },
  },
  opencode: {
    title: 'opencode',
    program: 'opencode',
    inheritsPath: true,
    folder: '.opencode',
    userFolder: { variable: 'OPENCODE_CONFIG_DIR', path: '.config/opencode' },
    signs: ['opencode.json', 'opencode.jsonc'],
    instructions: {
      project: 'AGENTS.md',
      user: 'AGENTS.md',
      fallback: { project: 'CLAUDE.md', user: '~/.claude/CLAUDE.md' },
    },
    plugin: { path: 'plugin/todowrite.js', content: opencodePlugin },
  },
  cursor: {
    title: 'Cursor',
    program: 'cursor-agent',
    folder: '.cursor',
    userFolder: { path: '.cursor' },
    signs: ['.cursorrules'],
    // Its rules for all projects are in its settings, not in a file.
    instructions: { project: 'AGENTS.md' },
    hooks: {
      file: 'hooks.json',
      form: 'handlers',
      handler: SECONDS,
      events: {
        sessionStart: {},
        postToolUse: { matcher: 'Shell|Write|Delete' },
        postToolUseFailure: { matcher: 'Shell' },
        stop: { loop_limit: 2 },
      },
      stop: 'stop',
      version: 1,
    },
  },
  kimi: {
    title: 'Kimi Code',
    program: 'kimi',
    inheritsPath: true,
    folder: '.kimi-code',
    userFolder: { variable: 'KIMI_CODE_HOME', path: '.kimi-code' },
    signs: [],
    instructions: { project: 'AGENTS.md', user: 'AGENTS.md' },
    hooks: {
      file: 'config.toml',
      form: 'tables',
      handler: SECONDS,
      // It listens to two of them only; the others tell what has happened.
      events: {
        SessionStart: {},
        UserPromptSubmit: {},
        PostToolUse: { matcher: 'Bash|Edit|Write' },
        PostToolUseFailure: { matcher: 'Bash' },
        PreCompact: {},
        SubagentStart: {},
        SubagentStop: {},
        Stop: {},
      },
      stop: 'Stop',
      isOfUserOnly: true,
    },
  },
  crush: {
    title: 'Crush',
    program: 'crush',
    inheritsPath: true,
    folder: '.crush',
    userFolder: { variable: 'CRUSH_GLOBAL_CONFIG', path: '.config/crush' },
    signs: ['crush.json', '.crush.json', 'CRUSH.md'],
    instructions: { project: 'AGENTS.md', user: 'CRUSH.md' },
  },
  agents: {
    title: 'AGENTS.md',
    signs: ['AGENTS.md'],
    instructions: { project: 'AGENTS.md' },
  },
} as const satisfies Readonly<Record<string, Harness>>;

export type HarnessName = keyof typeof HARNESSES;
export const HARNESS_NAMES = Object.keys(HARNESSES) as HarnessName[];
