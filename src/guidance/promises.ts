import type { TodoItem } from '../todo/todo-item.ts';
import type { CommandKind } from './command-kinds.ts';

/** Where a sentence, or a part of one, begins. */
const START = '(?:^\\s*|[,;:.(（]\\s*|\\b(?:and|then)\\s+|[并再，、；])';
const RUN = `${START}(?:re-?)?(?:run|running|execute|executing)\\s+`;
/** Up to three words between a verb and what it is about. */
const WORDS = '(?:[\\w./-]+\\s+){0,3}?';
const PASS =
  '\\s+(?:to\\s+|still\\s+|all\\s+|must\\s+|should\\s+|is\\s+|are\\s+)*(?:pass|succeed|green|clean)';

/** Texts of items that cannot be true unless a command of the kind has succeeded. */
const PROMISES: Readonly<Record<CommandKind, RegExp>> = {
  test: anyOf(
    `${RUN}${WORDS}(?:tests\\b|test[ -]?suite|pytest|vitest|jest|mocha|rspec|(?:npm|cargo|go|yarn|pnpm) (?:run )?test)`,
    `\\btests?(?:[ -]suite)?${PASS}`,
    `\\b(?:fix|fixing)\\s+${WORDS}(?:failing|broken|red)\\s+${WORDS}tests?\\b`,
    '(?:运行|執行|执行|跑)(?:[^，。]{0,6})(?:测试|測試)|(?:测试|測試)(?:[^，。]{0,3})通[过過]',
  ),
  build: anyOf(
    `${RUN}${WORDS}build(?:$|[,;.)]|\\s+(?:and|script|again|command))`,
    `\\bbuild${PASS}`,
    `\\b(?:fix|fixing)\\s+the\\s+(?:failing\\s+|broken\\s+)?build(?:$|[,;.])`,
    '(?:运行|執行|执行)(?:构建|構建|编译|編譯)|(?:构建|構建|编译|編譯)(?:能|可以)?(?:通[过過]|成功)',
  ),
  lint: anyOf(
    `${RUN}${WORDS}(?:lint|linter|linters|linting|eslint|ruff|clippy|flake8|rubocop|biome)\\b`,
    `\\b(?:lint|linter|linting|eslint|ruff|clippy)${PASS}`,
    `\\b(?:fix|fixing)\\s+(?:all\\s+|the\\s+)*(?:lint|linter|eslint|ruff|clippy)\\s+(?:errors|warnings|issues|problems)`,
    '(?:运行|執行|执行|跑)\\s*(?:lint|eslint|代码检查)',
  ),
  'type check': anyOf(
    `${RUN}${WORDS}(?:type[- ]?check(?:er|ing|s)?|tsc|mypy|pyright)\\b`,
    `\\b(?:type[- ]?check(?:s|er|ing)?|tsc|mypy|pyright)${PASS}`,
    `\\b(?:fix|fixing)\\s+(?:all\\s+|the\\s+)*(?:type|tsc|typescript|mypy)\\s+errors`,
    '(?:运行|執行|执行|跑)\\s*(?:类型检查|類型檢查|tsc|mypy)',
  ),
};

/** Work that these words tell of is done elsewhere, by hand, later, or with other tools than the table knows. */
const ELSEWHERE =
  /\b(?:manual(?:ly)?|by hand|load|perf(?:ormance)?|stress|user|usability|a\/b|skip\w*|blocked|not|n't|cannot|how|CI|pipeline|workflow|staging|(?:in|on|against) production|remote|jenkins|actions?|docker|why|until)\b|手动|手動|跳过|跳過|性能|压力/i;
/** Work on the thing itself, not a run of it. */
const WORK_ON =
  /^\s*(?:(?:add|writ|creat|implement|design|plan|document|configur|decid|explain|ask|allow|investigat|look|find|read|updat|review|refactor|delet|remov|mov|renam|mak\w+ it possible|teach|let|enabl|support|us)(?:e|es|ing)?|set(?:ting)? up|setup)\b|^\s*(?:编写|添加|新增|更新|配置|设计)/i;
/** After these the rest of a text still tells of the thing that is worked on. */
const GOES_ON = /\b(?:to|that|which|for|script|command|target|job|step|hook)\b/i;
const FIRST_CLAUSE = /^.*?(?:,|;|\band\b|\bthen\b|，|；|并|再|$)/i;

/** The kinds of command whose success the text of an item promises. In doubt: none. */
export function promisesOf({ content, activeForm }: Readonly<TodoItem>): CommandKind[] {
  if (ELSEWHERE.test(`${content} ${activeForm}`)) return [];
  const texts = [content, activeForm].map(withoutWorkOn);
  const kinds = Object.keys(PROMISES) as CommandKind[];
  return kinds.filter((kind) => texts.some((text) => PROMISES[kind].test(text)));
}

/** "Write tests and run them" works on tests, and then promises; "Add a script to lint and run tests" never does. */
function withoutWorkOn(text: string): string {
  if (!WORK_ON.test(text)) return text;
  return GOES_ON.test(text) ? '' : text.replace(FIRST_CLAUSE, '');
}

function anyOf(...patterns: readonly string[]): RegExp {
  return new RegExp(patterns.join('|'), 'i');
}
