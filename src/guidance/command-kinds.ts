/** A kind of command whose exit code tells whether the work is sound. */
export type CommandKind = 'test' | 'build' | 'lint' | 'type check';

interface KindRow {
  /** The commands of this kind: their words, joined by single spaces and without wrappers such as `sudo` or `npx`. */
  readonly commands: RegExp;
  /** What else may be one, wherever it stands. A line with such a word proves nothing in either way. */
  readonly mention: RegExp;
  /** Arguments with which such a command does not do its work. */
  readonly idle?: RegExp;
}

const RUN = '(?:npm|pnpm|yarn|bun)(?: run(?:-script)?)?';
const GRADLE = '(?:gradlew?|mvnw?)';

/** The table of docs/guidance.md. */
export const COMMAND_KINDS: Readonly<Record<CommandKind, KindRow>> = {
  test: {
    commands: table(
      `${RUN} (?:t|tst|test|tests|unit|e2e|spec)(?::\\S+)?`,
      'npm (?:cit|install-test)',
      'node (?:\\S+ )*?--test',
      'deno test|bun test|vitest|jest|mocha|ava|tap|jasmine|playwright test|cypress run|karma start',
      'pytest|py\\.test|unittest|tox|nox|(?:python3? )?manage\\.py test|django-admin test',
      'go test|gotestsum|cargo (?:test|nextest run|t)|zig (?:build )?test|swift test|dart test|flutter test',
      `${GRADLE} (?:\\S+ )*(?::?\\S*:)?(?:test|verify|check)`,
      'rspec|rake (?:test|spec)|rails test|minitest|phpunit|pest|composer test|mix test',
      'dotnet test|ctest|bats|sbt test|lein test|stack test|cabal test|(?:make|just) (?:\\S+ )*(?:test|tests|check)',
    ),
    mention:
      /test|spec|check|verif|valid|\bci\b|e2e|\bqa\b|jest|mocha|\btox\b|\bnox\b|\bbats\b|\bmake\b|gradle|mvn/i,
    idle: /--(?:collect-only|co|list(?:Tests)?|no-run|passWithNoTests)\b|[sS]kip\.?[tT]ests|maven\.test\.skip| -x test\b/,
  },
  build: {
    commands: table(
      `${RUN} (?:build|compile|bundle)(?::\\S+)?`,
      '(?:vite|next|nuxt|astro|remix|ng|parcel|expo|esbuild|turbo run) build|webpack|rollup|tsup|esbuild',
      'tsc(?! (?:\\S+ )*--noEmit)|vue-tsc -b',
      'cargo (?:build|b)|go build|zig build|swift build|flutter build|dotnet build|mix compile',
      `${GRADLE} (?:\\S+ )*(?::?\\S*:)?(?:build|assemble|compile|package|install)`,
      'cmake --build|ninja|bazel build|python3? setup\\.py build|build|make(?: (?:-j\\d*|all|build))*$',
      'docker (?:buildx )?build|docker[- ]compose build|sbt compile|stack build|cabal build',
    ),
    mention:
      /build|compil|bundl|\bdist\b|\bpack|release|deploy|\bci\b|\bmake\b|install|tsc|gradle|mvn/i,
  },
  lint: {
    commands: table(
      `${RUN} (?:lint|eslint)(?::\\S+)?`,
      'eslint|oxlint|biome (?:check|lint|ci)|stylelint|standard|xo|deno lint|next lint|ng lint',
      'ruff(?: check)?|flake8|pylint|pycodestyle|golangci-lint run|golint|staticcheck|cargo clippy',
      'rubocop|shellcheck|phpcs|ktlint|swiftlint|hadolint|yamllint|markdownlint|(?:make|just) (?:\\S+ )*lint',
    ),
    mention:
      /lint|check|style|format|quality|prettier|ruff|black|clippy|biome|build|\bmake\b|\bvet\b|\bci\b|pre-?commit|(?:npm|pnpm|yarn|bun) .*test/i,
  },
  'type check': {
    commands: table(
      `${RUN} (?:type-?check|types|check-types|check:types|tsc)(?::\\S+)?`,
      'tsc|vue-tsc|svelte-check|mypy|dmypy run|pyright|basedpyright|pyre check|pytype|flow check|deno check',
      'cargo check|go vet|phpstan analy[sz]e|psalm|sorbet|srb tc|(?:make|just) (?:\\S+ )*type-?check',
    ),
    mention:
      /type|tsc|\bvet\b|check|build|compil|mypy|pyright|lint|\bci\b|(?:npm|pnpm|yarn|bun) .*test/i,
  },
};

/** If one of these stands first, or with a variable or a script in its place, the line may run anything. */
export const RUNS_ANYTHING =
  /^(?:(?:ba|z|da|k|fi)?sh|source|\.|eval|xargs|parallel|ssh|docker|podman|kubectl|act|tmux|screen|just|task|invoke|ant|turbo|nx|lerna|\$.*|(?:npm|pnpm|yarn|bun) run(?:-script)? (?!(?:dev|start|serve|watch)\b).*|\S*\/\S*|\S+\.sh)(?: |$)/;

/** These change or show something, and check nothing, whatever their arguments speak of. */
export const CHECKS_NOTHING =
  /^(?:ag|alias|awk|cat|cd|chmod|cp|curl|cut|date|df|diff|du|echo|export|false|file|gh|git|grep|head|history|jq|kill|less|ln|ls|mkdir|more|mv|popd|printf|ps|pushd|pwd|read|rg|rm|rmdir|sed|set|sleep|sort|stat|tail|tee|test|touch|tr|tree|true|type|uniq|unset|wc|wget|which|TodoRead|TodoWrite|:|\[)(?: |$)/;

/** Arguments that make any command tell of itself, or of what it would do, instead of doing it. */
export const TELLS_OF_ITSELF =
  /(?:^| )(?:--help|-h|--version|-V|--dry-run)(?= |$)|^make (?:\S+ )*-n\b/;

function table(...rows: readonly string[]): RegExp {
  return new RegExp(`^(?:${rows.join('|')})(?= |$)`);
}
