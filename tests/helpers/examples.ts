import { execFile } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import { Guide } from '../../src/guidance/guide.ts';
import { BashRouter, BashSession, CommandType, readSettings, TodoStore } from '../../src/index.ts';
import { agentHandlers } from '../../src/shell/router/agent-handlers.ts';
import { bundled } from './bundle.ts';
import { typeCheck } from './executables.ts';
import { temporaryDirectory } from './files.ts';
import { forAllTests } from './for-all-tests.ts';
import { EXAMPLE_PACKAGES, exampleModules } from './installed.ts';
import { hasPrograms } from './machine.ts';
import { oncePerRun } from './once-per-run.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const { bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** A fenced block of a page. */
export interface Example {
  /** The language, then words of our own. */
  language: string;
  words: readonly string[];
  text: string;
  /** Of its fence, from 1. */
  line: number;
  /** The text of the `text output` block that follows. */
  output?: string;
}

/**
 * The languages of a page's blocks, and what a test does with each:
 *
 * - `console`: runs what stands after `$ ` (and `> ` for further lines) in one bash, and compares what follows it.
 *   `console agent-shell`: the same in an agent shell.
 * - `sh` with a `text output` after it is run as it stands, by one agent shell. Without, it is a line for a fresh machine.
 * - `ts` is type-checked as its own program and run, `python` is run where there is one. The block
 *   `text output` that follows is what it prints.
 * - `LANGUAGE file=NAME` is a file for the blocks that follow.
 * - `text` is a picture or a form, `yaml` a file for other programs, `mermaid` a diagram. They are not run, and no other
 *   language is allowed.
 */
export function testExamples(page: string): void {
  describe(page, () => {
    const examples = readExamples(readFileSync(join(ROOT, page), 'utf8'));
    const folder = forAllTests(temporaryDirectory);

    beforeAll(async () => {
      const directory = folder();
      await makeHost(directory);
      for (const { words, text } of examples) {
        const file = fileNamed(words);
        if (file === undefined) continue;
        writeFileSync(join(directory, file), text);
        chmodSync(join(directory, file), 0o755);
      }
    });

    test('has no block that no test knows', () => {
      const known = ['console', 'ts', 'python', 'text', 'mermaid', 'sh', 'yaml'];
      const isKnown = ({ words, language }: Example) =>
        fileNamed(words) || known.includes(language);
      expect(examples.filter((example) => !isKnown(example))).toEqual([]);
    });

    for (const example of examples) {
      const { language, words, text, line, output } = example;
      const title = `line ${line}: ${text.split('\n')[0]}`;
      if (fileNamed(words) !== undefined) continue;
      if (language === 'console') {
        test(title, async () => {
          const received = await runConsole(text, folder(), words.includes('agent-shell'));
          expect(steady(received)).toBe(steady(text));
        });
      } else if (language === 'sh' && output !== undefined) {
        test(title, async () => {
          expect(await run('agent-shell', ['--session', String(line), '-c', text], folder())).toBe(
            steady(output),
          );
        });
      } else if (language === 'ts') {
        test(title, async () => {
          const program = join(folder(), `${line}.mjs`);
          writeFileSync(program, (await transform(text, { loader: 'ts', format: 'esm' })).code);
          expect(await run(process.execPath, [program], folder())).toBe(steady(output ?? ''));
        });
      } else if (language === 'python') {
        const missing = !hasPrograms('python3');
        test(title, async ({ skip }) => {
          if (missing) skip('no python3 here');
          expect(await run('python3', ['-c', text], folder())).toBe(steady(output ?? ''));
        });
      }
    }
  });
}

/** Type-checks the programs of all pages and of the folder at once: most time goes into the declarations that they share. */
export function testTypes(pages: readonly string[], folder: string): void {
  test(`their programs, and those of ${folder}, are type-checked`, async ({ skip }) => {
    const directory = temporaryDirectory();
    await makeHost(directory);
    for (const page of pages) {
      for (const { language, text, line } of readExamples(readFileSync(join(ROOT, page), 'utf8'))) {
        const name = `${page.replaceAll('/', '-')}-${line}.ts`;
        if (language === 'ts') writeFileSync(join(directory, name), text);
      }
    }
    const files = exampleModules() ? readdirSync(join(ROOT, folder)) : [];
    const names = files.filter((name) => name.endsWith('.ts'));
    for (const name of names) copyFileSync(join(ROOT, folder, name), join(directory, name));
    expect(typeCheck('-p', directory)).toEqual({ status: 0, stdout: '' });
    if (!files.length) skip(NO_PACKAGES);
  });
}

export const NO_PACKAGES = 'the packages of examples/package.json cannot be installed here';

function fileNamed(words: readonly string[]): string | undefined {
  return words.find((word) => word.startsWith('file='))?.slice('file='.length);
}

/** In order. */
export function readExamples(page: string): Example[] {
  const examples: Example[] = [];
  const fences = /^```([^\n]*)\n([\s\S]*?)^```$/gm;
  for (const { 1: info = '', 2: text = '', index } of page.matchAll(fences)) {
    const [language = '', ...words] = info.split(' ');
    const last = examples.at(-1);
    if (language === 'text' && words.includes('output') && last) last.output = text;
    else examples.push({ language, words, text, line: page.slice(0, index).split('\n').length });
  }
  return examples;
}

/** This package with its library as one file: from many, Node takes 0.2 seconds to load it. */
async function installLibrary(folder: string): Promise<void> {
  const library = await bundled(join(ROOT, 'dist', 'index.js'));
  mkdirSync(join(folder, 'dist'), { recursive: true });
  copyFileSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  copyFileSync(library, join(folder, 'dist', 'index.js'));
  symlinkSync(join(ROOT, 'dist', 'types'), join(folder, 'dist', 'types'));
}

/** A `node_modules` that has this package. */
async function makeModules(modules: string): Promise<void> {
  mkdirSync(join(modules, '.bin'), { recursive: true });
  await installLibrary(join(modules, 'todowrite'));
  for (const name of ['@types', 'shell-quote']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  const others = exampleModules();
  for (const name of others ? EXAMPLE_PACKAGES : []) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(others ?? '', name), join(modules, name));
  }
  for (const [name, file] of Object.entries<string>(bin)) {
    symlinkSync(join(ROOT, file), join(modules, '.bin', name));
  }
  symlinkSync(join(ROOT, 'node_modules', 'bats', 'bin', 'bats'), join(modules, '.bin', 'bats'));
}

/** A project that has this package, and the executables on PATH. Its packages are those of all such projects. */
export async function makeHost(directory: string): Promise<void> {
  const modules = await oncePerRun('host', async (folder) => {
    await makeModules(join(folder, 'node_modules'));
    return join(folder, 'node_modules');
  });
  symlinkSync(modules, join(directory, 'node_modules'));
  const compilerOptions = {
    target: 'es2023',
    module: 'nodenext',
    types: ['node'],
    strict: true,
    noEmit: true,
    // Other packages check their own declarations.
    skipLibCheck: true,
    allowImportingTsExtensions: true,
  };
  writeFileSync(join(directory, 'package.json'), '{"private":true,"type":"module"}');
  writeFileSync(
    join(directory, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['*.ts'] }),
  );
}

function environment(directory: string): Record<string, string | undefined> {
  return {
    PATH: `${join(directory, 'node_modules', '.bin')}:${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: directory,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
  };
}

async function run(program: string, argv: string[], cwd: string): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(program, argv, {
    cwd,
    env: environment(cwd),
  });
  return steady(stderr + stdout);
}

/** The block with its commands' current output. */
async function runConsole(block: string, cwd: string, isAgentShell: boolean): Promise<string> {
  const store = new TodoStore();
  const router = new BashRouter({
    handlers: isAgentShell ? agentHandlers(store, () => readSettings({}, undefined)) : [],
    guide: new Guide({ store }),
    shell: (handlers) =>
      new BashSession({ env: environment(cwd), cwd, handlers, mergeStderr: true }),
  });
  try {
    let transcript = '';
    for (const [typed] of block.matchAll(/^\$ .*\n(?:> .*\n)*/gm)) {
      const command = typed.replace(/^[$>] /gm, '').trimEnd();
      const isAgent = router.identifyCommandType(command) === CommandType.AGENT_SHELL_COMMAND;
      const { stdout, stderr } = await router.route(command, { timeoutMs: 20_000 });
      transcript += typed + (isAgent ? stderr + stdout : stdout + stderr);
    }
    return transcript;
  } finally {
    await router.dispose();
  }
}

/** Replaces what differs from run to run. */
function steady(text: string): string {
  return text
    .replace(/"durationMs":[\d.]+/g, '"durationMs":0.4')
    .replace(/"updatedAt":"[^"]*"/g, '"updatedAt":"2025-05-05T09:30:00.000Z"')
    .replace(/ in \d+ms$/gm, ' in 60ms');
}
