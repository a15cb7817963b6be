import type { PeopleLook } from '../panel/for-people.ts';
import { isTerminal } from '../system/standard-io.ts';

/**
 * What the programs that run commands for a model, or for nobody, set for these commands; some of them, such as Gemini CLI and
 * Qwen Code, run them on a terminal. AI_AGENT is what such programs have agreed on.
 */
const SET_BY_PROGRAMS = [
  'AI_AGENT',
  'ANTIGRAVITY_AGENT',
  'AUGMENT_AGENT',
  'CI',
  'CLAUDECODE',
  'CLINE_ACTIVE',
  'CODEX_CI',
  'CODEX_SANDBOX',
  'CODEX_THREAD_ID',
  'COPILOT_CLI',
  'CRUSH',
  'CURSOR_AGENT',
  'GEMINI_CLI',
  'GOOSE_TERMINAL',
  'OPENCODE',
  'PI_CODING_AGENT',
  'QWEN_CODE',
] as const;

/**
 * How to print lists for a person: on a terminal, unless a program reads it (TODO_PANEL=off or a variable says so, or the
 * terminal shows it). The code for that is only loaded then.
 */
export function peopleLook(): (() => Promise<PeopleLook>) | undefined {
  const { env } = process;
  const isForProgram = env.TODO_PANEL === 'off' || (env.TERM || 'dumb') === 'dumb';
  if (isForProgram || SET_BY_PROGRAMS.some((name) => env[name])) return undefined;
  if (!isOnTerminal() || isDriven()) return undefined;
  return async () => {
    const { stdout, env } = process;
    const { themeFor } = await import('../panel/theme.ts');
    return { theme: themeFor(stdout, env), columns: stdout.columns || 80, now: Date.now() };
  };
}

function isOnTerminal(): boolean {
  try {
    return isTerminal(1);
  } catch {
    // It is closed.
    return false;
  }
}

/** A program that types turns off echo, or sets a prompt that ends in a newline, which it can search for. */
function isDriven(): boolean {
  if (process.env.PS1?.endsWith('\n')) return true;
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  // stty reports on the terminal that is its standard input.
  const { stdout } = spawnSync('stty', ['-a'], { stdio: [1, 'pipe', 'ignore'], encoding: 'utf8' });
  return / -echo\b/.test(stdout ?? '');
}
