import { isOpen } from '../base/command/status.ts';
import { readCommands, type SimpleCommand, simpleCommands } from '../base/line/simple-commands.ts';
import type { Item } from '../todo/todo-fields.ts';
import type { FailedVerification } from './texts.ts';
import { MAX_LINE_LENGTH, type Work } from './work.ts';

// Finds test, build and lint commands that failed and have not succeeded since. The build drops this from TodoWrite as a
// program, which sees no lines: hence the pure annotations.

/** Names of programs, or arguments of runners, by what they verify. */
const VERIFIERS = {
  lint: /* @__PURE__ */ names(
    'lint|type-?check|types|check-types|vet|clippy',
    '(?:es|ox|style|py|ansible-|markdown|yaml)lint|biome|ruff|flake8|golangci-lint|rubocop|shellcheck|phpcs',
    'mypy|pyright|basedpyright|svelte-check|phpstan|psalm|swiftlint|ktlint|hadolint',
  ),
  build: /* @__PURE__ */ names(
    'build|compile|assemble|package|make all|--build|(?:cargo|deno) check|tsc|vue-tsc|webpack|rollup|tsup|esbuild|ninja',
  ),
  test: /* @__PURE__ */ names(
    'tests?|t|unit|e2e|spec|check|verify|--test|nextest|unittest|pytest|py\\.test|tox|nox',
    'vitest|jest|mocha|ava|karma|rspec|minitest|phpunit|pest|ctest|bats|gotestsum',
  ),
} as const;
export type Verification = keyof typeof VERIFIERS;
const KIND_NAMES: readonly Verification[] = ['lint', 'build', 'test'];

/** Programs whose arguments name the work, and words between the two. */
const RUNNER =
  /^(?:npm|pnpm|yarn|bun|npx|bunx|node|deno|tsx|python[\d.]*|uv|uvx|poetry|pipenv|hatch|manage\.py|setup\.py|go|cargo|zig|swift|dart|flutter|dotnet|mvnw?|gradlew?|sbt|stack|mix|ruby|bundle|rake|rails|php|composer|make|just|task|cmake|bazel|docker|compose|vite|next|nuxt|astro|ng|nx|turbo|playwright|cypress|sudo|env|time|timeout|nice|nohup|command|exec|run|run-script|x|dlx)$/;
/** These may verify anything; so may a runner with a MENTION in its arguments. */
const RUNS_ANYTHING =
  /^(?:\S*\/\S*|\S+\.sh|(?:ba|z|da|k)?sh|source|\.|eval|xargs|parallel|ssh|docker|podman|kubectl|make|just|task|pre-commit|\$.*|(?:npm|pnpm|yarn|bun) run \S+)(?: |$)/;
const SHELL = /^(?:\S*\/)?(?:ba|z|da|k)?sh$/;
const MENTION = /test|spec|check|verif|build|compil|lint|type|\bci\b/i;
/** Their tests build first. */
const BUILDS_TESTS =
  /^(?:sudo |time |timeout \S+ )*(?:go|cargo|deno|swift|dotnet|zig|mvnw?|gradlew?|\.\/(?:mvnw|gradlew)|sbt|stack|bazel|make|dart|flutter)(?: |$)/;
/** A build or a lint, by the words of a project. */
const CHECKS_TYPES = /\b(?:tsc|type-?check|check-types|types)\b/;
/** These rarely fail, so the exit code is taken as that of the command after them. */
const PREPARES = /^(?:cd|pushd|export|set|source|\.|mkdir|:|true)(?: |$)/;
const MAX_FAILURES = 3;

/** Words for verifying, in several languages: an unrecognized one is a false alarm. Not `checkout`, `preview` or `latest`. */
const VERIFYING_WORDS: readonly RegExp[] = [
  /\b(?:re|type|spell|double|cross|fact|sanity|health|unit|smoke|pen|load|py|vi)?-?(?:verif(?:y|ies|ied|ying|ication)|(?:test|check|review)(?:s|ed|ing|er|list)?)\b/i,
  /\be2e\b|\bQA\b/i,
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
  '(?:npm|pnpm|yarn|bun|pip3?|cargo|go|gem|poetry|uv) (?:\\S+ )*?(?:i|install|add|remove|uninstall|get)\\b';
const CHANGE = /* @__PURE__ */ new RegExp(`^(?:sudo )?(?:${GIT}|${FILES}|${PACKAGES})`);
/** A cache: without a list, all lines are examined after each line. */
const changesSeen = new WeakMap<Work['commands'][number], boolean>();

/**
 * The failed commands of whose kind none has succeeded since. None unless the last change finished the list or completed an
 * item that is a verification.
 */
export function failedVerifications({
  changes,
  items,
  commands,
}: Pick<Work, 'changes' | 'items' | 'commands'>): FailedVerification[] {
  const isFinished = !items.some(isOpen);
  const isJudged = changes.some(
    ({ before, after }) =>
      before &&
      before.status !== 'completed' &&
      after?.status === 'completed' &&
      (isFinished || isVerification(after) || /\b(?:build|lint)/i.test(after.content)),
  );
  if (!isJudged) return [];
  const failures = new Map<Verification, FailedVerification>();
  for (const { line, exitCode } of commands) {
    const ran = commandsIn(line);
    // If it may have been of this kind, it may have succeeded.
    for (const kind of verificationsIn(ran, exitCode)) failures.delete(kind);
    const kind = exitCode ? decidingKind(ran) : undefined;
    if (kind) failures.set(kind, { kind, line, exitCode });
  }
  return [...failures.values()].slice(0, MAX_FAILURES);
}

export function isVerification({ content, activeForm }: Item): boolean {
  return VERIFYING_WORDS.some((words) => words.test(content) || words.test(activeForm));
}

export function mayVerify(line: string): boolean {
  return verificationsIn(commandsIn(line), 0).length > 0;
}

/** True if a successful line changed files, packages or a git repository, judged by its words. */
export function changesFiles(command: Work['commands'][number]): boolean {
  let isChange = changesSeen.get(command);
  if (isChange === undefined) {
    isChange = command.exitCode === 0 && readCommands(command.line).commands.some(changes);
    changesSeen.set(command, isChange);
  }
  return isChange;
}

/** Redirections of errors, or to a device or descriptor, do not count. */
function changes({ words, redirections }: SimpleCommand): boolean {
  return (
    CHANGE.test(words.map(({ text }) => text).join(' ')) ||
    redirections.some(
      ({ descriptor, operator, target }) =>
        /^(?:>|>>|>\||&>|&>>)$/.test(operator) &&
        descriptor !== '2' &&
        !target.text.startsWith('/dev/'),
    )
  );
}

interface JudgedCommand extends Pick<SimpleCommand, 'before' | 'after'> {
  readonly words: readonly string[];
  readonly kind: Verification | undefined;
}

/** Returns undefined if the line cannot be read as a list of commands. */
function commandsIn(line: string): readonly JudgedCommand[] | undefined {
  const commands = line.length > MAX_LINE_LENGTH ? undefined : simpleCommands(line);
  // Agents and harnesses wrap lines: `bash -c 'npm test'`.
  const [shell, option, script] = commands?.length === 1 ? (commands[0]?.words ?? []) : [];
  const isShell = SHELL.test(shell?.text ?? '') && /^-[a-z]*c$/.test(option?.text ?? '');
  if (isShell && script?.isLiteral) return commandsIn(script.text);
  return commands?.map(({ words, before, after }) => {
    const texts = words.map(({ text }) => text);
    return { words: texts, before, after, kind: kindOf(texts) };
  });
}

/** The kinds of which a command has run, or may have. */
function verificationsIn(
  commands: readonly JudgedCommand[] | undefined,
  exitCode: number | undefined,
): readonly Verification[] {
  // 1. What cannot be read, and a script, may be of any kind; unless the line failed, that is in its favour.
  const mayBeAny = commands?.some(({ words, kind }) => !kind && mayRunAny(words)) ?? true;
  if (mayBeAny && !exitCode) return KIND_NAMES;
  // 2. Else each command tells its own, and one that succeeded what it includes.
  return (commands ?? []).flatMap(({ kind, words }) => {
    if (!kind || exitCode) return kind ?? [];
    const text = words.join(' ');
    if (kind === 'test') return BUILDS_TESTS.test(text) ? ['test', 'build'] : kind;
    return CHECKS_TYPES.test(text) ? ['build', 'lint'] : kind;
  });
}

/** The kind whose failure the exit code of a failed line means. Returns undefined if it may mean another one. */
function decidingKind(commands: readonly JudgedCommand[] = []): Verification | undefined {
  // 1. It is that of the last chain: `make; cd app && npm test`.
  const chain = commands.slice(commands.findLastIndex(({ before }) => /^;?$/.test(before)));
  // 2. It is that of one of the chain's commands, which run until one fails.
  const last = chain.at(-1);
  const isChained = last?.after !== '&' && chain.slice(1).every(({ before }) => before === '&&');
  // 3. It is that of the last one: those before it rarely fail, or are of a kind themselves.
  const isItsOwn = chain.every(({ words, kind }) => kind || PREPARES.test(words.join(' ')));
  return isChained && isItsOwn ? last?.kind : undefined;
}

/** The kind of a command: after runners, options and their values, as in `npx --yes vitest`, comes the name of a verifier. */
function kindOf(words: readonly string[]): Verification | undefined {
  let runner = '';
  for (const [at, word] of words.entries()) {
    const name = word.replace(/^.*\/(?=.)/, '');
    const kind = KIND_NAMES.find(
      (one) => VERIFIERS[one].test(name) || VERIFIERS[one].test(`${runner} ${name}`),
    );
    // Steps of a build file follow: `zig build test`.
    if (kind === 'build' && runner === 'zig' && words.includes('test')) return 'test';
    // Without a runner, `test` is a builtin.
    if (kind) return word === 'test' && runner === '' ? undefined : kind;
    const isOption = /^-|^\w+=|^[\d.]+[smhd]?$/.test(word);
    if (RUNNER.test(name)) runner = name;
    else if (!isOption && !words[at - 1]?.startsWith('-')) return undefined;
  }
  return runner === 'make' ? 'build' : undefined;
}

function mayRunAny(words: readonly string[]): boolean {
  const text = words.join(' ');
  return RUNS_ANYTHING.test(text) || (RUNNER.test(words[0] ?? '') && MENTION.test(text));
}

/** Matches scripts too: `npm run test:unit`, `./test.sh`, `gradle :app:test`. */
function names(...rows: readonly string[]): RegExp {
  return new RegExp(`^(?:\\S*:)?(?:${rows.join('|')})(?::\\S+|\\.\\w+)?$`);
}
