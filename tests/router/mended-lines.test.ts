import { describe, expect, test } from 'vitest';
import { BashSession } from '../../src/bash/bash-session.ts';
import { quote } from '../../src/line/quotes.ts';
import { BashRouter } from '../../src/router/bash-router.ts';
import { mendLine } from '../../src/router/mend-line.ts';
import { TodoStore } from '../../src/todo/todo-store.ts';
import { TodoWriteHandler } from '../../src/todo/todo-write.ts';
import { ENV } from '../helpers/bash.ts';
import { growth } from '../helpers/best-time.ts';
import { listFiles, temporaryDirectory } from '../helpers/files.ts';
import { forAllTests } from '../helpers/for-all-tests.ts';

const list = (content: string, activeForm = 'x') =>
  JSON.stringify({ todos: [{ content, activeForm, status: 'pending' }] });
const BROKEN = `TodoWrite '${list("Don't stop")}'`;

const store = new TodoStore();
const router = forAllTests((finished) => {
  const env = { ...ENV, TMPDIR: temporaryDirectory(finished) };
  const started = new BashRouter({
    handlers: [new TodoWriteHandler(store)],
    shell: (handlers) => new BashSession({ env, cwd: '/', handlers }),
  });
  finished(() => started.dispose());
  return started;
});

async function route(line: string) {
  const cwd = temporaryDirectory();
  store.clear();
  await router().route(`cd ${quote(cwd)}`);
  const { stdout, stderr, exitCode } = await router().route(line);
  const contents = store.get().items.map(({ content }) => content);
  return { stdout, stderr, exitCode, contents, files: listFiles(cwd) };
}

const MENDED = expect.stringContaining('Note: read the JSON as it was typed');

describe('a line that bash cannot read is mended where the JSON has one extent and one meaning', () => {
  test.each([
    ['after cd', `cd . && ${BROKEN}`, ["Don't stop"]],
    ['after cd with ;', `cd .; ${BROKEN}; echo end`, ["Don't stop"]],
    [
      'in a subshell with a trap',
      `shopt -u extglob; ( trap 'echo bye' EXIT; ${BROKEN} )`,
      ["Don't stop"],
    ],
    ['in a group, over lines', `{\n${BROKEN}\n}`, ["Don't stop"]],
    ['in an eval', `eval ${quote(BROKEN)}`, ["Don't stop"]],
    [
      'in an eval as Claude Code has it',
      `cd . && eval ${quote(BROKEN)} \\< /dev/null && pwd -P >| cwd`,
      ["Don't stop"],
    ],
    [
      'in an eval in double quotes',
      `eval "${BROKEN.replace(/["$`\\]/g, '\\$&')}" && pwd`,
      ["Don't stop"],
    ],
    ['in an eval with --', `builtin eval -- ${quote(`true; ${BROKEN}`)}`, ["Don't stop"]],
    ['before a pipe', `${BROKEN} | cat`, ["Don't stop"]],
    ['before a redirection', `${BROKEN} >out 2>&1`, ["Don't stop"]],
    ['one of two', `TodoWrite '${list('Fine')}' && ${BROKEN}`, ["Don't stop"]],
    [
      'with one apostrophe written well',
      `true; TodoWrite '${list("it's a don't").replace("it's", "it'\\''s")}'`,
      ["it's a don't"],
    ],
    ['in double quotes', `true; TodoWrite "${list("Don't (stop)")}"`, ["Don't (stop)"]],
    ['with a price', `true; TodoWrite '${list("Don't pay $5")}'`, ["Don't pay $5"]],
    [
      'with shell syntax in its text',
      `true; TodoWrite '${list("Don't; touch ran && (x | y) > z")}'`,
      ["Don't; touch ran && (x | y) > z"],
    ],
    [
      'over several lines',
      `true; TodoWrite '${JSON.stringify(JSON.parse(list("Don't stop")), null, 2)}'`,
      ["Don't stop"],
    ],
  ])('%s', async (_name, line, contents) => {
    const { files, ...result } = await route(line);
    expect(result).toMatchObject({ exitCode: 0, contents, stderr: MENDED });
    expect(files).not.toContain('ran');
  });
});

describe('JSON is quoted in a line that bash can parse, but would split', () => {
  const PAIR = `TodoWrite '${list("Fix the parser's bug", "Fixing the parser's bug")}'`;
  test.each([
    ['after true &&', `true && ${PAIR}`],
    ['after cd', `cd . && ${PAIR}`],
    ['after ;', `true; ${PAIR}`],
    ['after a newline', `true\n${PAIR}`],
    ['after ||', `false || ${PAIR}`],
    ['before others', `${PAIR} && echo "it's" 'done'`],
    ['before a pipe', `cd . && ${PAIR} | cat`],
    ['with a redirection', `true; ${PAIR} >/dev/null 2>&1`],
    ['with a variable before it', `X=1 ${PAIR}`],
    ['in a subshell', `(cd . && ${PAIR})`],
    ['in a group', `{ ${PAIR}; }`],
    ['in a loop', `for x in 1; do ${PAIR}; done`],
    ['after then', `if true; then ${PAIR}; fi`],
    ['after a heredoc', `cat >/dev/null <<'EOF'\nit's\nEOF\n${PAIR}`],
    ['in an eval', `true && eval ${quote(`cd . && ${PAIR}`)} </dev/null`],
    ['after time', `time -p ${PAIR}`],
    ['after env', `env X=1 ${PAIR}`],
    ['after command', `command ${PAIR}`],
    ['after exec', `(exec ${PAIR})`],
    ['in a substitution', `x=$(${PAIR})`],
    ['after [[', `[[ -d . ]] && ${PAIR}`],
    ['in a branch of case', `case x in x) ${PAIR} ;; esac`],
    ['in a function', `f() { ${PAIR}; }; f`],
    ['in a loop that reads no literal', `for x in $(echo 1); do ${PAIR}; done`],
    ['twice', `TodoWrite '${list("Don't")}'; ${PAIR}`],
    ['with three more', `true; TodoWrite '${list("Fix the parser's bug", "a's b's c's")}'`],
    [
      'with shell syntax in its text',
      `true; TodoWrite '${list("Fix the parser's bug", "x's; touch ran > ran2 && y")}'`,
    ],
    ['in double quotes', `true; TodoWrite "${list("Fix the parser's bug", "it's x")}"`],
    ['without quotes', `true; TodoWrite ${list("Fix the parser's bug")}`],
    [
      'with line breaks between it and its quotes',
      `true; TodoWrite '\n${list("Fix the parser's bug", "it's x")}\n'`,
    ],
    ['on a line of its own', `true; TodoWrite \\\n  '${list("Fix the parser's bug", "it's x")}'`],
    [
      'with one apostrophe written well',
      `true; TodoWrite '${list("Fix the parser's bug", "it's a's").replace('the parser', "the parser'\\'")}'`,
    ],
  ])('%s', async (_name, line) => {
    expect(await route(line)).toMatchObject({
      exitCode: 0,
      contents: ["Fix the parser's bug"],
      stderr: MENDED,
      files: [],
    });
  });
});

test.each(['', 'true && ', 'true\n'])(
  'texts of JSON do not run together, even if the result would be a list: %j',
  async (before) => {
    const item = (content: string, id: string) => ({ ...JSON.parse(list(content)).todos[0], id });
    for (const todos of [
      [item("Don't", '1'), item("Can't", '2')],
      [{ content: "The user's", id: "Ann's", activeForm: 'x', status: 'pending' }],
    ]) {
      expect(await route(`${before}TodoWrite '${JSON.stringify({ todos })}'`)).toMatchObject({
        contents: todos.map(({ content }) => content),
        stderr: MENDED,
      });
    }
  },
);

describe('a line is run as it was typed', () => {
  test.each([
    ['where something else is broken, too', `${BROKEN} && echo 'open`],
    ['where the JSON is not JSON', `true; TodoWrite '{"todos":[Don't]}'`],
    [
      'if the quote is not closed after the JSON',
      `true; TodoWrite '${list("Don't stop")} && touch ran`,
    ],
    ['where more follows the JSON', `true; TodoWrite '${list("Don't stop")} and'`],
    ['where a variable may be meant', `true; TodoWrite '${list("Don't '$USER'")}'`],
    ['where a command may be meant', `true; TodoWrite "${list("Don't $(touch ran)")}"`],
    ['where the name is text', `echo "see: TodoWrite '${list("Don't")}'`],
    ['where the name is another', `true; TodoWriter '${list("Don't")}'`],
    ['where the list is in a comment', `echo 'open # ${BROKEN}`],
  ])('%s', async (_name, line) => {
    expect(await route(line)).toMatchObject({
      contents: [],
      stderr: expect.not.stringContaining('as it was typed'),
      files: [],
    });
  });

  test.each([
    [`cd . && TodoWrite '${list("It's fine").replace("'", "'\\''")}'`, ["It's fine"]],
    [`true; TodoWrite '${list("Don't-stop,can't-stop")}'`, ['Dont-stop,cant-stop']],
    [`true; TodoWrite '${list("Don't '$HOME' can't")}'`, []],
    [`true; TodoWrite '${list("Don't $HOME can't")}'`, []],
    [`echo TodoWrite '${list("Don't stop, can't stop")}'`, []],
    [`echo "TodoWrite '${list("Don't stop, can't stop").replaceAll('"', '\\"')}'"`, []],
    [`echo "don't" && TodoWrite '${list('Go on')}'`, ['Go on']],
    [`eval "$LINE" && TodoWrite '${list('Go on')}'`, ['Go on']],
    [`: $(echo TodoWrite '${list("Don't stop, can't stop")}')`, []],
    [`true # TodoWrite '${list("Don't stop, can't stop")}'`, []],
    [`true <<'EOF'\nTodoWrite '${list("Don't stop, can't stop")}'\nEOF`, []],
    [`[[ 1 ]] && cat <<'EOF'\nTodoWrite '${list("Don't stop, can't stop")}'\nEOF`, []],
  ])('where bash can read it: %s', async (line, expected) => {
    const { stderr, contents } = await route(line);
    expect(contents).toEqual(expected);
    expect(stderr).not.toContain('as it was typed');
  });

  test('a line that bash reads runs once, and nothing of one that it does not', async () => {
    const { files } = await route(`touch ran; TodoWrite '${list("Don't '$USER' stop")}'`);
    expect(files).toEqual([]);
    expect((await route(`echo x >>once; ${BROKEN}`)).contents).toEqual(["Don't stop"]);
    expect((await router().route('cat once')).stdout).toBe('x\n');
  });
});

test('a line takes time linear in its length', async () => {
  for (const text of [
    ...["'", '"', '{', '\\', 'TodoWrite {', `TodoWrite '{`, `eval '`, "eval ''", '$'],
  ]) {
    const lineOf = (size: number) =>
      `true; TodoWrite '{"todos":[{"content":"${text.repeat(size / text.length)}`;
    const mend = (size: number) =>
      mendLine(lineOf(size), new Set(['TodoWrite']), async () => false);
    expect(await growth(mend, 10_000), text).toBeLessThan(300);
  }
});
