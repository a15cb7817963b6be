import { join } from 'node:path';
import type { Environment } from '../environment.ts';
import type { Edit } from './edit.ts';
import instructions from './instructions.md';
import { jsonHooks } from './json-hooks.ts';
import { MARKDOWN_COMMENT, markedSection } from './marked-section.ts';
import opencodePlugin from './opencode-plugin.txt';
import { hasHooks, tomlHooks } from './toml-hooks.ts';
import { wholeFile } from './whole-file.ts';

/** Whose harnesses they are. */
export interface User {
  readonly home: string;
  readonly environment: Environment;
}

/** Where to set up a harness: in a project, or for all of a user's projects. */
export interface Place extends User {
  readonly scope: 'project' | 'user';
  /** The project's folder. */
  readonly root: string;
  /** Whether to turn on the finish gate. */
  readonly gate: boolean;
  /** The text of a file; undefined if there is none. */
  readonly read: (path: string) => string | undefined;
}

/** One file, and what to add to it. */
export interface Piece {
  readonly path: string;
  /** What the file is, in words. */
  readonly what: 'instructions' | 'hooks' | 'plugin';
  readonly edit: Edit;
}

export interface Harness {
  readonly title: string;
  /** The executable's name. */
  readonly program: string | undefined;
  /** Files of a project that show it is used there. */
  readonly signs: readonly string[];
  /** Where it keeps a user's settings. */
  readonly userFolder?: (user: User) => string;
  /** The edits, or why there can be none. */
  pieces(place: Place): readonly Piece[] | { readonly problem: string };
  /** Folders in a project that only this harness uses. */
  readonly folders: readonly string[];
  /** What is left for the user to do. @param lists the folder of all lists. */
  readonly next?: (lists: string) => string;
}

/** Never change this: Codex trusts a hook by the hash of its command. */
const COMMAND = 'agent-shell hook';
const GATED = 'agent-shell hook --gate';
const SECONDS = 10;
const MILLISECONDS = 1000;

export const HARNESS_NAMES = ['claude', 'codex', 'gemini', 'opencode', 'cursor', 'agents'] as const;
export type HarnessName = (typeof HARNESS_NAMES)[number];

/** docs/harnesses.md says what each of them does with it. */
export const HARNESSES: Readonly<Record<HarnessName, Harness>> = {
  claude: {
    title: 'Claude Code',
    program: 'claude',
    signs: ['.claude', 'CLAUDE.md'],
    folders: ['.claude'],
    userFolder: claudeFolder,
    pieces: (place) => {
      const folder = claudeFolder(place);
      const group = (more: object = {}, command = COMMAND) => ({
        ...more,
        hooks: [{ type: 'command', command, timeout: SECONDS }],
      });
      const events = {
        SessionStart: group(),
        UserPromptSubmit: group(),
        PostToolUse: group({ matcher: 'Bash' }),
        PostToolUseFailure: group({ matcher: 'Bash' }),
        Stop: group({}, stopCommand(place)),
      };
      const settings = at(place, ['.claude', 'settings.json'], [folder, 'settings.json']);
      return [
        { path: settings, what: 'hooks', edit: jsonHooks({ events }) },
        section('claude', at(place, ['CLAUDE.md'], [folder, 'CLAUDE.md'])),
      ];
    },
  },
  codex: {
    title: 'Codex',
    program: 'codex',
    signs: ['.codex'],
    folders: ['.codex'],
    userFolder: codexFolder,
    pieces: (place) => {
      const folder = codexFolder(place);
      return [
        codexHooks(place, at(place, ['.codex'], [folder])),
        section('codex', at(place, ['AGENTS.md'], [folder, 'AGENTS.md'])),
      ];
    },
    next: (
      lists,
    ) => `Codex runs a hook once you trust it: type /hooks in Codex. Its sandbox lets commands write in the work
tree only; for the lists add to ~/.codex/config.toml, and make that folder:

[sandbox_workspace_write]
writable_roots = [${JSON.stringify(lists)}]`,
  },
  gemini: {
    title: 'Gemini CLI',
    program: 'gemini',
    signs: ['.gemini', 'GEMINI.md'],
    folders: ['.gemini'],
    userFolder: geminiFolder,
    pieces: (place) => {
      const folder = geminiFolder(place);
      const group = (more: object = {}, command = COMMAND) => ({
        ...more,
        hooks: [{ type: 'command', name: 'todowrite', command, timeout: SECONDS * MILLISECONDS }],
      });
      const events = {
        SessionStart: group(),
        BeforeAgent: group(),
        AfterTool: group({ matcher: 'run_shell_command' }),
        PreCompress: group(),
        AfterAgent: group({}, stopCommand(place)),
      };
      const settings = at(place, ['.gemini', 'settings.json'], [folder, 'settings.json']);
      const paths = geminiContextFiles(place.read(settings)).map((file) =>
        at(place, [file], [folder, file]),
      );
      // The settings may have named a different file at setup time.
      const own = paths.find((path) => IS_OF_GEMINI.test(place.read(path) ?? ''));
      return [
        { path: settings, what: 'hooks', edit: jsonHooks({ events }) },
        section('gemini', own ?? paths[0] ?? ''),
      ];
    },
  },
  opencode: {
    title: 'opencode',
    program: 'opencode',
    signs: ['.opencode', 'opencode.json', 'opencode.jsonc'],
    folders: ['.opencode/plugin', '.opencode'],
    userFolder: opencodeFolder,
    pieces: (place) => {
      const folder = opencodeFolder(place);
      const plugin = ['plugin', 'todowrite.js'];
      return [
        {
          path: at(place, ['.opencode', ...plugin], [folder, ...plugin]),
          what: 'plugin',
          edit: wholeFile(opencodePlugin),
        },
        section('opencode', at(place, ['AGENTS.md'], [folder, 'AGENTS.md'])),
      ];
    },
  },
  cursor: {
    title: 'Cursor',
    program: 'cursor-agent',
    signs: ['.cursor', '.cursorrules'],
    folders: ['.cursor'],
    userFolder: cursorFolder,
    pieces: (place) => {
      const entry = (more: object = {}, command = COMMAND) => ({
        command,
        timeout: SECONDS,
        ...more,
      });
      const events = {
        sessionStart: entry(),
        postToolUse: entry({ matcher: 'Shell' }),
        postToolUseFailure: entry({ matcher: 'Shell' }),
        stop: entry({ loop_limit: 2 }, stopCommand(place)),
      };
      const hooks: Piece = {
        path: at(place, ['.cursor', 'hooks.json'], [cursorFolder(place), 'hooks.json']),
        what: 'hooks',
        edit: jsonHooks({ events, version: 1 }),
      };
      // Cursor keeps rules for all projects in its own settings, not in a file.
      if (place.scope === 'user') return [hooks];
      return [hooks, section('cursor', join(place.root, 'AGENTS.md'))];
    },
  },
  agents: {
    title: 'AGENTS.md',
    program: undefined,
    signs: ['AGENTS.md'],
    folders: [],
    pieces: ({ scope, root }) =>
      scope === 'user'
        ? { problem: 'agents is for a project: each harness has its own file for the user' }
        : [section('agents', join(root, 'AGENTS.md'))],
  },
};

function claudeFolder({ environment, home }: User): string {
  return environment.CLAUDE_CONFIG_DIR || join(home, '.claude');
}

function codexFolder({ environment, home }: User): string {
  return environment.CODEX_HOME || join(home, '.codex');
}

function geminiFolder({ home }: User): string {
  return join(home, '.gemini');
}

function opencodeFolder({ environment, home }: User): string {
  const configuration = environment.XDG_CONFIG_HOME || join(home, '.config');
  return environment.OPENCODE_CONFIG_DIR || join(configuration, 'opencode');
}

function cursorFolder({ home }: User): string {
  return join(home, '.cursor');
}

function at(
  { scope, root }: Place,
  inProject: readonly string[],
  ofUser: readonly [string, ...string[]],
): string {
  return scope === 'project' ? join(root, ...inProject) : join(...ofUser);
}

function stopCommand({ gate }: Place): string {
  return gate ? GATED : COMMAND;
}

function section(name: string, path: string): Piece {
  return {
    path,
    what: 'instructions',
    edit: markedSection(instructions, name, MARKDOWN_COMMENT),
  };
}

/** Codex complains about hooks in both of its files, so ours go where others already are. */
function codexHooks(place: Place, folder: string): Piece {
  const group = (matcher?: string, command = COMMAND) => ({
    ...(matcher !== undefined && { matcher }),
    hooks: [{ type: 'command', command, timeout: SECONDS }],
  });
  const events = {
    SessionStart: group(),
    UserPromptSubmit: group(),
    PostToolUse: group('Bash'),
    Stop: group(undefined, stopCommand(place)),
  };
  const inToml: Piece = {
    path: join(folder, 'config.toml'),
    what: 'hooks',
    edit: tomlHooks(events, 'codex'),
  };
  const inJson: Piece = {
    path: join(folder, 'hooks.json'),
    what: 'hooks',
    edit: jsonHooks({ events }),
  };
  const isThere = place.read(inJson.path)?.includes(COMMAND) ?? false;
  return !isThere && hasHooks(place.read(inToml.path) ?? '') ? inToml : inJson;
}

const IS_OF_GEMINI = /BEGIN todowrite [^:]*: [^>]*\bgemini\b/;

/** The files Gemini CLI may read; the one its settings name comes first. */
function geminiContextFiles(settings: string | undefined): string[] {
  const [, name = 'GEMINI.md'] = /"fileName"\s*:\s*\[?\s*"([\w.-]+)"/.exec(settings ?? '') ?? [];
  return [name, 'GEMINI.md', 'AGENTS.md'];
}
