import { describe, expect, test } from 'vitest';
import { quote } from '../../../src/base/line/quotes.ts';
import { mendLine } from '../../../src/shell/router/mend-line.ts';
import { TodoStore } from '../../../src/todo/todo-store.ts';
import { TodoWriteHandler } from '../../../src/todo/todo-write.ts';
import { growth } from '../../helpers/best-time.ts';
import { listFiles, temporaryDirectory } from '../../helpers/files.ts';
import { forAllTests } from '../../helpers/for-all-tests.ts';
import { startRouter } from '../../helpers/session.ts';

const list = (content: string, activeForm = 'x') =>
  JSON.stringify({ todos: [{ content, activeForm, status: 'pending' }] });
const BROKEN = `TodoWrite '${list("Don't stop")}'`;

const store = new TodoStore();
const router = forAllTests(
  (finished) => startRouter({ handlers: [new TodoWriteHandler(store)] }, finished).router,
);

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
    [BROKEN, "Don't stop"],
    [` TodoWrite \t '${list("Don't stop")}' \t \n`, "Don't stop"],
    [`TodoWrite ${list("Don't stop").replaceAll(',', ',\n')}`, "Don't stop"],
    [`TodoWrite "${list("Don't stop")}"`, "Don't stop"],
    [`TodoWrite ${list('a && b | c > d; #')}`, 'a && b | c > d; #'],
    [`TodoWrite [${JSON.stringify(JSON.parse(list("Don't stop")).todos[0])}]`, "Don't stop"],
    [`TodoWrite '${list("Don't pay $5")}'`, "Don't pay $5"],
    [`TodoWrite '${list("Don't*stop", "Can't")}'`, "Don't*stop"],
    [`cd .; ${BROKEN}; echo end`, "Don't stop"],
    [`TodoWrite <<< '${list("Don't stop")}'`, "Don't stop"],
    [`cd . && TodoWrite - <<<'${list("Don't stop")}' && pwd`, "Don't stop"],
    [`env --default-signal TodoWrite --output=list '${list("Don't")}'`, "Don't"],
    [`shopt -u extglob; ( trap 'echo bye' EXIT; ${BROKEN} )`, "Don't stop"],
    // As Claude Code has it.
    [`cd . && eval ${quote(BROKEN)} \\< /dev/null && pwd -P >| cwd`, "Don't stop"],
    [`eval "${BROKEN.replace(/["$`\\]/g, '\\$&')}" && pwd`, "Don't stop"],
    [`builtin eval -- ${quote(`true; ${BROKEN}`)}`, "Don't stop"],
    [`TodoWrite '${list("Don't stop")}\n' 2>&1 | cat >out`, "Don't stop"],
    [`TodoWrite '${list('Fine')}' && ${BROKEN}`, "Don't stop"],
    [`true; TodoWrite '${list("it's a don't").replace("it's", "it'\\''s")}'`, "it's a don't"],
    [`true; TodoWrite '${list("Don't; touch ran && (x) > z")}'`, "Don't; touch ran && (x) > z"],
  ])('%s', async (line, content) => {
    const { files, ...result } = await route(line);
    expect(result).toMatchObject({ exitCode: 0, contents: [content], stderr: MENDED });
    expect(files).not.toContain('ran');
  });
});

describe('JSON is quoted in a line that bash can parse, but would split', () => {
  const TITLE = "Fix the parser's bug";
  const PAIR = `TodoWrite '${list(TITLE, TITLE)}'`;
  test.each([
    `true\n${PAIR} && echo "it's" 'done'`,
    `cd . && X=1 ${PAIR} 2>&1 | cat >/dev/null`,
    `for x in 1; do ${PAIR}; done`,
    `cat >/dev/null <<'EOF'\nit's\nEOF\n${PAIR}`,
    `true && eval ${quote(`cd . && ${PAIR}`)} </dev/null`,
    `time -p ${PAIR}`,
    `env X=1 ${PAIR}`,
    `TodoWrite <<< '${list(TITLE, TITLE)}' 2>&1`,
    `true; TodoWrite <<< '${list(TITLE, "a's 'b'")}' | cat >/dev/null`,
    `x=$(${PAIR})`,
    `[[ -d . ]] && ${PAIR}`,
    `case x in x) ${PAIR} ;; esac`,
    `f() { ${PAIR}; }; f`,
    `TodoWrite '${list("Don't")}'; ${PAIR}`,
    `TodoWrite '${list('Fine')}'; ${PAIR}`,
    `true; TodoWrite '${list(TITLE, "a's b's c's")}'`,
    `true; TodoWrite '${list(TITLE, "x's; touch ran > ran2 && y")}'`,
    `true; TodoWrite "${list(TITLE, "it's x")}"`,
    `true; TodoWrite --output list ${list(TITLE)}`,
    `TodoWrite --output list -- '${list(TITLE, TITLE)}'`,
    `true; TodoWrite \\\n  '${list(TITLE, "it's x")}'`,
    `true; TodoWrite '${list(TITLE, "it's a's").replace('the parser', "the parser'\\'")}'`,
  ])('%s', async (line) => {
    expect(await route(line)).toMatchObject({
      exitCode: 0,
      contents: [TITLE],
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
      [item("Fix 'tasks' now", '3')],
      [{ content: "The user's", id: "Ann's", activeForm: 'x', status: 'pending' }],
    ]) {
      expect(await route(`${before}TodoWrite '${JSON.stringify({ todos })}'`)).toMatchObject({
        contents: todos.map(({ content }) => content),
        stderr: MENDED,
      });
    }
  },
);

test.each(['; ', ' && ', '\n'])(
  'two lists of one line do not run together into a third: %j',
  async (joint) => {
    for (const content of ["Don't", "Don't stop"]) {
      for (const before of ['', 'cd . && ']) {
        const { stdout, ...result } = await route(
          `${before}TodoWrite '${list(content)}'${joint}TodoWrite '${list(`${content} it`)}'`,
        );
        expect(result).toMatchObject({ contents: [`${content} it`], stderr: MENDED });
        expect(stdout.split('\n')).toHaveLength(3);
      }
    }
  },
);

describe('a line is run as it was typed', () => {
  test.each([
    `${BROKEN} && echo 'open`,
    `true; TodoWrite '{"todos":[Don't]}'`,
    `true; TodoWrite '${list("Don't stop")} && touch ran`,
    `true; TodoWrite '${list("Don't stop")} and'`,
    // A variable or a command may be meant.
    `true; TodoWrite '${list("Don't '$USER'")}'`,
    `true; TodoWrite "${list("Don't $(touch ran)")}"`,
    // The name is text, or another one.
    `echo "see: TodoWrite '${list("Don't")}'`,
    `true; TodoWriter '${list("Don't")}'`,
    `echo 'open # ${BROKEN}`,
  ])('that bash cannot read, and where something else is broken or meant: %s', async (line) => {
    expect(await route(line)).toMatchObject({
      contents: [],
      stderr: expect.not.stringContaining('as it was typed'),
      files: [],
    });
  });

  test.each([
    [`cd . && TodoWrite '${list("It's fine").replace("'", "'\\''")}'`, ["It's fine"]],
    [`true; TodoWrite '${list("Don't '$HOME' can't")}'`, []],
    [`echo TodoWrite '${list("Don't stop, can't stop")}'`, []],
    [`echo "TodoWrite '${list("Don't stop, can't stop").replaceAll('"', '\\"')}'"`, []],
    [`echo "don't" && TodoWrite '${list('Go on')}'`, ['Go on']],
    [`TodoWrite '${list("Deploy '$(echo word)'")}'`, ['Deploy word']],
    [`TodoWrite '${list('Deploy X').replace('X', `'"\${NONE:-a b}"'`)}'`, ['Deploy a b']],
    [`TodoWrite '${list("Deploy '<(true)'")}'`, ['Deploy /dev/fd/63']],
    // What is expanded is never stored as typed.
    [`TodoWrite '${list("a '${NONE:-1 2}'")}'`, []],
    [`TodoWrite ${list('$(true) ran')}`, []],
    [`TodoWrite "${list("It's $(date +%Y), isn't it")}"`, []],
    [`TodoWrite "${list("Don't run it in `pwd`, can't")}"`, []],
    [`TodoWrite "${list("It's <(date)")}"`, []],
    [`eval "$LINE" && TodoWrite '${list('Go on')}'`, ['Go on']],
    [`: $(echo TodoWrite '${list("Don't stop, can't stop")}')`, []],
    [`true # TodoWrite '${list("Don't stop, can't stop")}'`, []],
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

  test('an earlier line in the background reads its own arguments', async () => {
    await route('(until [ -e go ]; do sleep 0.01; done; TodoWrite garbage; touch done) &');
    await router().route(`TodoWrite '${list("a'*'b")}'`);
    await router().route('touch go; until [ -e done ]; do sleep 0.01; done');
    expect(store.get().items.map(({ content }) => content)).toEqual(["a'*'b"]);
  });
});

test('a line takes time linear in its length', async () => {
  for (const text of [...`'"{\\$`, 'TodoWrite {', `TodoWrite '{`, `eval '`, "eval ''"]) {
    const lineOf = (size: number) =>
      `true; TodoWrite '{"todos":[{"content":"${text.repeat(size / text.length)}`;
    const mend = (size: number) =>
      mendLine(lineOf(size), new Set(['TodoWrite']), async () => false);
    expect(await growth(mend, 10_000), text).toBeLessThan(300);
  }
});
