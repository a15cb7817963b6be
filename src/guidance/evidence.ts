import {
  type Redirection,
  readCommands,
  type SimpleCommand,
  simpleCommands,
} from '../line/simple-commands.ts';
import type { TodoItem } from '../todo/todo-fields.ts';
import type { ItemChange, RoutedCommand, Work } from './rule.ts';
import type { FailedCheck } from './texts.ts';
import { MAX_LINE_LENGTH } from './work-history.ts';

// What lines and their exit codes say of the work: which test, build or lint command failed, and what was changed.
// TodoWrite as a program knows no lines, and leaves out what is pure.

/** What a program is called, or what a runner is told to do, for each kind of command whose exit code tells of the work. */
const KINDS = {
  lint: /* @__PURE__ */ table(
    'lint|type-?check|types|check-types|vet|clippy|(?:cargo|deno|flow|pyre) check',
    '(?:es|ox|style|py|ansible-|markdown|yaml)lint|biome|standard|xo|ruff|flake8|golangci-lint|rubocop|shellcheck|phpcs',
    'mypy|pyright|basedpyright|pytype|svelte-check|phpstan|psalm|swiftlint|ktlint|hadolint',
  ),
  build: /* @__PURE__ */ table(
    'build|compile|(?:npm|pnpm|yarn|bun|run) bundle|assemble|package|make all|--build|tsc|vue-tsc|webpack|rollup|tsup|esbuild|ninja',
  ),
  test: /* @__PURE__ */ table(
    'tests?|t|unit|e2e|spec|check|verify|--test|nextest|unittest|pytest|py\\.test|tox|nox',
    'vitest|jest|mocha|ava|jasmine|karma|rspec|minitest|phpunit|pest|ctest|bats|gotestsum',
  ),
} as const;
export type CheckKind = keyof typeof KINDS;
const KIND_NAMES: readonly CheckKind[] = ['lint', 'build', 'test'];

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
 * Words that speak of verifying, testing, checking or reviewing. More languages than one are cheap here, and a check
 * that is not recognised is a false alarm. A checkout, a preview and the latest version are no checks.
 */
const CHECKS: readonly RegExp[] = [
  /\b(?:re-?)?(?:verif(?:y|ies|ied|ying|ication)|test(?:s|ed|ing|er)?|retest\w*|review(?:s|ed|ing|er)?)\b/i,
  /\b(?:type|spell|double|cross|re|fact|sanity|health)?-?check(?:s|ed|ing|er|list)?\b/i,
  /\b(?:unit|smoke|pen|load|e2e)?-?test(?:s|ed|ing)?\b|\b(?:py|vi)test\b|\be2e\b|\bQA\b/i,
  /^(?:validat(?:e|ing)|confirm(?:ing)?|mak(?:e|ing) sure|ensur(?:e|ing)|prov(?:e|ing))\b/i,
  /验证|驗證|测试|測試|检查|檢查|审查|審查|校验|校驗|核对|核對|复查|複查|审核|審核|评审|評審|确认|確認|检验|檢驗|核实|核實/,
  /テスト|検証|確認|レビュー|チェック|테스트|검증|확인|검토|리뷰/,
  /\b(?:über)?prüf|\btesten\b|\bverifizier|vérifi|\btester\b|\bcomprob|\bverific|\bprobar\b|\brevisar\b|провер|тест/i,
];

const GIT =
  'git (?:-\\S+ (?:\\S+ )?)*?(?:add|am|apply|cherry-pick|clean|clone|commit|init|merge|mv|pull|push|rebase|reset|restore|revert|rm|stash|switch|tag)\\b';
const FILES =
  '(?:cp|mv|rm|mkdir|rmdir|touch|ln|chmod|patch|apply_patch|tee|truncate|rsync|unzip)\\b|(?:sed|perl) (?:\\S+ )*?-\\w*i';
const PACKAGES =
  '(?:npm|pnpm|yarn|bun|pip3?|cargo|go|gem|composer|poetry|uv) (?:\\S+ )*?(?:i|install|add|remove|uninstall|get)\\b';
const CHANGE = /* @__PURE__ */ new RegExp(`^(?:sudo )?(?:${GIT}|${FILES}|${PACKAGES})`);
/** No more of a command is looked at. */
const MAX_LENGTH = 4000;
/** All lines are gone through after each line. */
const changed = new WeakMap<RoutedCommand, boolean>();

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
  if (completed.length === 0) return undefined;
  const isFinished = items.every(({ status }) => status === 'completed');
  const failures = new Map<CheckKind, FailedCheck>();
  for (const { line, exitCode } of isFinished ? commands : linesOfChecks(completed)) {
    for (const [kind, outcome] of outcomesOf(line, exitCode)) {
      if (outcome === 'failed') failures.set(kind, { kind, line, exitCode });
      else failures.delete(kind);
    }
  }
  return failures.size > 0 ? [...failures.values()].slice(0, MAX_FAILURES) : undefined;
}

/** The lines since the work on those that speak of checks began; on the first of them, where they are several. */
function linesOfChecks(completed: readonly ItemChange[]): readonly RoutedCommand[] {
  let lines: readonly RoutedCommand[] = [];
  for (const change of completed) {
    const { after } = change;
    if (!after || !(isCheck(after) || /\b(?:build|lint)/i.test(after.content))) continue;
    const { commands = [] } = change;
    if (commands.length > lines.length) lines = commands;
  }
  return lines;
}

/** Whether the work on the item is itself a check of other work. */
export function isCheck({ content, activeForm }: Readonly<TodoItem>): boolean {
  return CHECKS.some((check) => check.test(content) || check.test(activeForm));
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
  const steps = commands?.map(({ words, ...joints }) => {
    const texts = words.map(({ text }) => text);
    return { ...joints, words: texts, kind: kindOf(texts) };
  });
  const hasSucceeded = exitCode === 0 || exitCode === undefined;
  const mayBeAll = steps?.some(({ words, kind }) => !kind && mayRunAny(words)) ?? true;
  const kinds = hasSucceeded && mayBeAll ? KIND_NAMES : (steps ?? []).map(({ kind }) => kind);
  const outcomes = new Map<CheckKind, 'failed' | 'unclear'>();
  for (const kind of kinds) if (kind) outcomes.set(kind, 'unclear');
  const last = steps?.at(-1);
  if (!hasSucceeded && last?.kind && decides(steps ?? [])) outcomes.set(last.kind, 'failed');
  return outcomes;
}

/** Whether a failure of the line is one of its last command: what comes before it has no other reason to fail. */
function decides(
  steps: readonly (Pick<SimpleCommand, 'before' | 'after'> & {
    readonly words: readonly string[];
    readonly kind: CheckKind | undefined;
  })[],
): boolean {
  const start = steps.findLastIndex(({ before }) => before === ';' || before === '');
  const [first, ...others] = steps.slice(start);
  return (
    first !== undefined &&
    steps.at(-1)?.after !== '&' &&
    others.every(({ before }) => before === '&&') &&
    [first, ...others]
      .slice(0, -1)
      .every(({ words, kind }) => kind !== undefined || PREPARES.test(words.join(' ')))
  );
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

/** Whether a line that succeeded has changed files, packages or a git repository, as far as its words tell. */
export function changesFiles(command: RoutedCommand): boolean {
  let isChange = changed.get(command);
  if (isChange === undefined) {
    isChange = command.exitCode === 0 && readCommands(command.line).commands.some(changes);
    changed.set(command, isChange);
  }
  return isChange;
}

function changes({ words, redirections }: SimpleCommand): boolean {
  const text = words.map((word) => word.text).join(' ');
  return CHANGE.test(text.slice(0, MAX_LENGTH)) || redirections.some(writesFile);
}

/** Not what goes into a device, or into another descriptor; nor a log of errors. */
function writesFile({ descriptor, operator, target }: Redirection): boolean {
  return (
    /^(?:>|>>|>\||&>|&>>|>&)$/.test(operator) &&
    descriptor !== '2' &&
    !/^(?:\/dev\/|\d+$|-$)/.test(target.text)
  );
}
