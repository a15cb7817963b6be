// The harnesses that run here: an npm package each, a setting for the model's address, and a way to run without a person.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const OWN_RULES = { permissions: { deny: ['Bash(TodoWrite:*)'], ask: ['Bash(TodoRead:*)'] } };

const OPENCODE_BASH = {
  '*': 'ask',
  ...Object.fromEntries(
    [
      'TodoWrite',
      'TodoRead',
      'TaskCreate',
      'TaskUpdate',
      'TaskList',
      'TaskGet',
      'TaskClaim',
      'TaskInbox',
    ].flatMap((name) => [
      [name, 'allow'],
      [`${name} *`, 'allow'],
    ]),
  ),
  '*<*': 'ask',
  "TodoWrite <<'EOF'*": 'allow',
  '*>*': 'ask',
};

const KIMI_AT_TERMINAL = { trust: /Trust this folder\?/, ready: /context: \d/ };

/**
 * `prepare` writes what a user would have configured before; `argv` runs one prompt, in a new conversation or the last
 * one. `node`: the line of Node that it needs, if that is not ours. `setup`: options of `agent-shell setup`, and
 * `userFiles` that it edits then. `stops`: it calls a hook before it stops. `dropsReplies`: it hears none to a command.
 * `tellsExitCodes`: its hooks report exit codes. `compact`: the prompt that cuts the conversation. `onTerminal`: how it runs at
 * a terminal, where it is tried there. `byPerson`: how a person starts it, when it takes a prompt, what its questions look like;
 * what it shows of a long list, if not what TodoRead prints of it; and what `prepare` has to add for that; `asksAll` is what is
 * seen of one that asks about every line. `trust`: its question about a new folder.
 */
export const HARNESSES = [
  {
    name: 'claude',
    package: '@anthropic-ai/claude-code',
    version: '2.1.332',
    program: 'claude',
    tellsExitCodes: true,
    stops: true,
    compact: '/compact',
    prepare: ({ home, project }) =>
      put(
        join(home, '.claude.json'),
        JSON.stringify({
          hasCompletedOnboarding: true,
          customApiKeyResponses: { approved: ['none'], rejected: [] },
          projects: {
            [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true },
          },
        }),
      ),
    byPerson: {
      // In its default mode a model answers the questions.
      argv: ['--permission-mode', 'manual'],
      ready: /\? for shortcuts/,
      // Our hook's line, in place of the output.
      shows: 'says: 6/12 Doing step 7',
      asks: /Do you want to proceed\?|❯ 1\. Yes/,
      ownRules: ({ home }) => add(join(home, '.claude', 'settings.json'), OWN_RULES),
    },
    environment: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      IS_SANDBOX: '1',
    }),
    argv: (prompt, isResumed) => [
      ...(isResumed ? ['--continue'] : []),
      '-p',
      prompt,
      '--allowedTools',
      'Bash',
    ],
  },
  {
    name: 'codex',
    package: '@openai/codex',
    version: '0.171.0',
    program: 'codex',
    tellsExitCodes: false,
    stops: true,
    prepare: ({ home, project, url }) =>
      put(
        join(home, '.codex', 'config.toml'),
        `model = "scripted"
model_provider = "loopback"
[model_providers.loopback]
name = "loopback"
base_url = "${url}/v1"
wire_api = "responses"
[projects."${project}"]
trust_level = "trusted"
`,
      ),
    environment: () => ({}),
    // Its sandbox takes the place of questions.
    byPerson: {
      argv: ['--dangerously-bypass-hook-trust'],
      ready: /› /,
      asks: /Would you like to run|1\. Yes/,
      isSandboxed: true,
    },
    argv: (prompt, isResumed) => [
      'exec',
      ...(isResumed ? ['resume', '--last'] : []),
      '--dangerously-bypass-approvals-and-sandbox',
      // As a person does once with /hooks.
      '--dangerously-bypass-hook-trust',
      prompt,
    ],
  },
  {
    name: 'gemini',
    package: '@google/gemini-cli',
    version: '0.61.0',
    program: 'gemini',
    tellsExitCodes: true,
    stops: true,
    prepare: ({ home }) =>
      put(
        join(home, '.gemini', 'settings.json'),
        JSON.stringify({
          security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
          general: { disableAutoUpdate: true },
          privacy: { usageStatisticsEnabled: false },
        }),
      ),
    environment: (url) => ({ GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: url }),
    byPerson: {
      setup: ['--user'],
      argv: ['-m', 'gemini-2.5-flash'],
      ready: /Type your message/,
      asks: /Allow execution|Allow once/,
      refusesQuoting: true,
      // After our file in the alphabet; with the priority that its documentation shows.
      ownRules: ({ home }) =>
        put(
          join(home, '.gemini', 'policies', 'z.toml'),
          [
            ['TodoWrite', 'deny'],
            ['TodoRead', 'ask_user'],
          ]
            .map(
              ([name, decision]) =>
                `[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "${name}"\ndecision = "${decision}"\npriority = 100\n`,
            )
            .join('\n'),
        ),
    },
    onTerminal: {
      argv: ['--yolo', '-m', 'gemini-2.5-flash'],
      ready: /Type your message/,
      cut: '/compress',
      isCut: /compressed|compression/i,
    },
    argv: (prompt, isResumed) => [
      ...(isResumed ? ['--resume', 'latest'] : []),
      '--yolo',
      '-m',
      'gemini-2.5-flash',
      '-p',
      prompt,
    ],
  },
  {
    name: 'qwen',
    package: '@qwen-code/qwen-code',
    version: '0.24.4',
    program: 'qwen',
    tellsExitCodes: true,
    stops: true,
    prepare: ({ home }) =>
      put(
        join(home, '.qwen', 'settings.json'),
        JSON.stringify({
          security: { auth: { selectedType: 'openai' } },
          general: { disableAutoUpdate: true },
          privacy: { usageStatisticsEnabled: false },
          // It would ask the model for them with all its tools.
          ui: { enableFollowupSuggestions: false },
        }),
      ),
    environment: (url) => ({
      OPENAI_API_KEY: 'none',
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_MODEL: 'scripted',
    }),
    byPerson: {
      // As in Claude Code.
      argv: ['--approval-mode', 'default'],
      ready: /Type your message/,
      asks: /Allow execution|Yes, allow once/,
      // See its limit in docs/harnesses.md. In the JSON of a request.
      losesReply: /Output: \(empty\)\\nError: \(none\)\\nExit Code: 0\\nSignal: 0\\n/,
      ownRules: ({ home }) => add(join(home, '.qwen', 'settings.json'), OWN_RULES),
    },
    argv: (prompt, isResumed) => [...(isResumed ? ['--continue'] : []), '--yolo', '-p', prompt],
  },
  {
    name: 'opencode',
    package: 'opencode-ai',
    version: '1.18.33',
    program: 'opencode',
    tellsExitCodes: true,
    stops: false,
    prepare: ({ home, url }) =>
      put(
        join(home, '.config', 'opencode', 'opencode.json'),
        JSON.stringify({
          autoupdate: false,
          share: 'disabled',
          model: 'loopback/scripted',
          permission: 'allow',
          provider: {
            loopback: {
              npm: '@ai-sdk/openai-compatible',
              name: 'loopback',
              options: { baseURL: `${url}/v1`, apiKey: 'none' },
              models: { scripted: { name: 'scripted' } },
            },
          },
        }),
      ),
    // It asks nothing by default; here it asks about all commands but those that docs/harnesses.md names.
    byPerson: {
      argv: [],
      ready: /Ask anything/,
      asks: /Permission required/,
      configure: ({ home }) =>
        add(join(home, '.config', 'opencode', 'opencode.json'), {
          permission: { bash: OPENCODE_BASH },
        }),
    },
    environment: () => ({ OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' }),
    argv: (prompt, isResumed) => ['run', ...(isResumed ? ['--continue'] : []), prompt],
  },
  {
    name: 'kimi',
    package: '@moonshot-ai/kimi-code',
    version: '2.1.0',
    program: 'kimi',
    node: '22',
    setup: ['--user'],
    userFiles: ['.kimi-code/config.toml', '.kimi-code/AGENTS.md'],
    dropsReplies: true,
    stops: true,
    prepare: ({ home, url }) =>
      put(
        join(home, '.kimi-code', 'config.toml'),
        `default_model = "scripted"
telemetry = false
[providers.loopback]
type = "openai"
base_url = "${url}/v1"
api_key = "none"
[models.scripted]
provider = "loopback"
model = "scripted"
max_context_size = 100000
`,
      ),
    environment: () => ({ KIMI_DISABLE_TELEMETRY: '1', KIMI_CODE_NO_AUTO_UPDATE: '1' }),
    byPerson: {
      ...KIMI_AT_TERMINAL,
      argv: [],
      asks: /Run this command\?/,
      asksAll: 'asked about each line of ours, though a rule of the user allows all lines',
      configure: ({ home }) =>
        appendFileSync(
          join(home, '.kimi-code', 'config.toml'),
          '[[permission.rules]]\ndecision = "allow"\npattern = "Bash"\n',
        ),
    },
    onTerminal: {
      ...KIMI_AT_TERMINAL,
      argv: ['--auto'],
      cut: '/compact',
      isCut: /Compaction complete/,
      isBeforePrompt: true,
    },
    argv: (prompt, isResumed) => [...(isResumed ? ['--continue'] : []), '-p', prompt],
  },
];

/** Adds settings to those that are there. */
function add(path, settings) {
  const before = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
  put(path, JSON.stringify({ ...before, ...settings }));
}

function put(path, text) {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
}
