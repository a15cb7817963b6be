import type { StdioOptions } from 'node:child_process';
import type { Environment } from '../../base/environment.ts';

/**
 * Variables that harnesses set for the commands they run; some, such as Gemini CLI and Qwen Code, run these on a
 * terminal. AI_AGENT is an agreed standard. MC_SID is Midnight Commander's, which reads the prompt of its shell.
 */
const SET_BY_PROGRAMS = [
  'AI_AGENT',
  'ANTIGRAVITY_AGENT',
  'AUGMENT_AGENT',
  'CLAUDECODE',
  'CLINE_ACTIVE',
  'CODEX_CI',
  'CODEX_SANDBOX',
  'CODEX_THREAD_ID',
  'COPILOT_AGENT_SESSION_ID',
  'COPILOT_CLI',
  'CRUSH',
  'CURSOR_AGENT',
  'GEMINI_CLI',
  'GOOSE_TERMINAL',
  'MC_SID',
  'OPENCLAW_SHELL',
  'OPENCODE',
  'PI_CODING_AGENT',
  'QWEN_CODE',
  'ROO_ACTIVE',
  'TRAE_AI_SHELL_ID',
] as const;

/** Prompts that a program can search for: they end in a newline, or print JSON. */
const PROMPT_FOR_PROGRAMS = /\n$|\{.*":.*\}/s;

/** True for the environment of a command that a harness runs. */
export function isOfAgent(env: Environment): boolean {
  return SET_BY_PROGRAMS.some((name) => env[name]);
}

/**
 * True if a program, not a person, types on the terminal: a variable or the prompt shows it, or echo is off. A program that
 * sends keys to tmux is not detected.
 */
export function isDriven(env: Environment, terminal: number): boolean {
  if (isOfAgent(env) || PROMPT_FOR_PROGRAMS.test(env.PS1 ?? '')) return true;
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  // stty reports on the terminal that is its standard input.
  const stdio = [terminal, 'pipe', 'ignore'] satisfies StdioOptions;
  return / -echo\b/.test(spawnSync('stty', ['-a'], { stdio, encoding: 'utf8' }).stdout ?? '');
}
