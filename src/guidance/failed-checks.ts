import { type SimpleCommand, simpleCommands } from '../line/simple-commands.ts';
import { isCheck } from './check-words.ts';
import type { ItemChange, Work } from './rule.ts';
import type { FailedCheck } from './texts.ts';
import { MAX_LINE_LENGTH } from './work-history.ts';

/** What a program is called, or what a runner is told to do, for each kind of command whose exit code tells of the work. */
const KINDS = {
  lint: table(
    'lint|type-?check|types|check-types|vet|clippy|(?:cargo|deno|flow|pyre) check',
    '(?:es|ox|style|py|ansible-|markdown|yaml)lint|biome|standard|xo|ruff|flake8|golangci-lint|rubocop|shellcheck|phpcs',
    'mypy|pyright|basedpyright|pytype|svelte-check|phpstan|psalm|swiftlint|ktlint|hadolint',
  ),
  build: table(
    'build|compile|(?:npm|pnpm|yarn|bun|run) bundle|assemble|package|make all|--build|tsc|vue-tsc|webpack|rollup|tsup|esbuild|ninja',
  ),
  test: table(
    'tests?|t|unit|e2e|spec|check|verify|--test|nextest|unittest|pytest|py\\.test|tox|nox',
    'vitest|jest|mocha|ava|jasmine|karma|rspec|minitest|phpunit|pest|ctest|bats|gotestsum',
  ),
} as const;
export type CheckKind = keyof typeof KINDS;
const KIND_NAMES = Object.keys(KINDS) as CheckKind[];

/** Programs that do what their arguments say, and words that stand between. */
const RUNNER =
  /^(?:npm|pnpm|yarn|bun|npx|bunx|node|deno|tsx|ts-node|python[\d.]*|uv|uvx|poetry|pipenv|hatch|manage\.py|setup\.py|go|cargo|zig|swift|dart|flutter|dotnet|mvnw?|gradlew?|sbt|stack|cabal|lein|mix|ruby|bundle|rake|rails|php|composer|make|just|task|invoke|cmake|bazel|docker|compose|vite|next|nuxt|astro|ng|nx|turbo|playwright|cypress|sudo|env|time|timeout|nice|nohup|command|exec|xvfb-run|run|run-script|x|dlx)$/;
/** Of a runner with something else to do: it may run any of them. */
const MENTION = /test|spec|check|verif|build|compil|lint|type|\bci\b/i;
/** These may run anything. */
const SCRIPT =
  /^(?:\S*\/\S*|\S+\.sh|(?:ba|z|da|k)?sh|source|\.|eval|xargs|parallel|ssh|docker|podman|kubectl|act|make|just|task|pre-commit|\$.*|(?:npm|pnpm|yarn|bun) run \S+)(?: |$)/;
/** A failure of these is so rare that the exit code is taken for that of the command that they prepare. */
const PREPARES = /^(?:cd|pushd|export|set|source|\.|mkdir|:|true)(?: |$)/;
const MAX_FAILURES = 3;

/**
 * The commands that failed, where none of their kind has succeeded since: in the session, if the last change finished the
 * list; since the work on an item began, if it completed one that is itself a check.
 */
export function failedChecks({
  changes,
  items,
  commands,
}: Pick<Work, 'changes' | 'items' | 'commands'>): FailedCheck[] | undefined {
  const completed = changes.filter(
    ({ before, after }) => before && before.status !== 'completed' && after?.status === 'completed',
  );
  const isFinished = completed.length > 0 && items.every(({ status }) => status === 'completed');
  const seen = completed.map((one) => (speaksOfChecks(one.after) && one.commands) || []);
  const lines = isFinished ? commands : longest(seen);
  const failures = new Map<CheckKind, FailedCheck>();
  for (const { line, exitCode } of lines) {
    for (const [kind, outcome] of outcomesOf(line, exitCode)) {
      if (outcome === 'failed') failures.set(kind, { kind, line, exitCode });
      else failures.delete(kind);
    }
  }
  return failures.size > 0 ? [...failures.values()].slice(0, MAX_FAILURES) : undefined;
}

function speaksOfChecks(item: ItemChange['after']): boolean {
  return item !== undefined && (isCheck(item) || /\b(?:build|lint)/i.test(item.content));
}

function longest<T>(all: readonly (readonly T[])[]): readonly T[] {
  return all.reduce((most, one) => (one.length > most.length ? one : most), []);
}

/** Whether a line says something of the work, or may. */
export function mayBeCheck(line: string): boolean {
  return outcomesOf(line, 0).size > 0;
}

/**
 * What a line says of each kind. `unclear`: one may have succeeded; in doubt nobody is told that it has not. A kind is
 * missing if the line has run no command of it.
 */
function outcomesOf(
  line: string,
  exitCode: number | undefined,
): Map<CheckKind, 'failed' | 'unclear'> {
  const commands = line.length > MAX_LINE_LENGTH ? undefined : simpleCommands(line);
  const hasSucceeded = exitCode === 0 || exitCode === undefined;
  const found = commands?.map((command) => kindOf(wordsOf(command)));
  const runsAnything =
    commands?.some((command, at) => found?.[at] === undefined && mayRunAny(wordsOf(command))) ??
    true;
  const unclear = hasSucceeded && runsAnything ? KIND_NAMES : (found ?? []);
  const outcomes = new Map<CheckKind, 'failed' | 'unclear'>();
  for (const kind of unclear) if (kind) outcomes.set(kind, 'unclear');
  const last = found?.at(-1);
  if (!hasSucceeded && last && decides(commands ?? [], found ?? [])) outcomes.set(last, 'failed');
  return outcomes;
}

/** Whether a failure of the line is one of its last command: what comes before it has no other reason to fail. */
function decides(
  commands: readonly SimpleCommand[],
  found: readonly (CheckKind | undefined)[],
): boolean {
  const start = commands.findLastIndex(({ before }) => before === ';' || before === '');
  const chain = commands.slice(start);
  return (
    commands.at(-1)?.after !== '&' &&
    chain.slice(1).every(({ before }) => before === '&&') &&
    chain
      .slice(0, -1)
      .every(
        (command, at) =>
          PREPARES.test(wordsOf(command).join(' ')) || found[start + at] !== undefined,
      )
  );
}

function wordsOf({ words }: SimpleCommand): readonly string[] {
  return words.map(({ text }) => text);
}

function kindOf(words: readonly string[]): CheckKind | undefined {
  let runner = '';
  for (const [at, word] of words.entries()) {
    const name = word.replace(/^.*\/(?=.)/, '');
    const kind = KIND_NAMES.find(
      (one) => KINDS[one].test(name) || KINDS[one].test(`${runner} ${name}`),
    );
    // `test` alone is a builtin.
    if (kind) return word === 'test' && runner === '' ? undefined : kind;
    const isOption = /^-|^\w+=|^[\d.]+[smhd]?$/.test(word);
    if (RUNNER.test(name)) runner = name;
    else if (!isOption && !words[at - 1]?.startsWith('-')) return undefined;
  }
  return runner === 'make' ? 'build' : undefined;
}

function mayRunAny(words: readonly string[]): boolean {
  const text = words.join(' ');
  return SCRIPT.test(text) || (RUNNER.test(words[0] ?? '') && MENTION.test(text));
}

/** Scripts have such names, too: `npm run test:unit`, `./test.sh`, `gradle :app:test`. */
function table(...rows: readonly string[]): RegExp {
  return new RegExp(`^(?:\\S*:)?(?:${rows.join('|')})(?::\\S+|\\.\\w+)?$`);
}
