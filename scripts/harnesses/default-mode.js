// The second part of `npm run harnesses`: each harness as a person starts it, at a terminal, with its own approval and
// sandbox, and HOME outside /tmp, where sandboxes allow writing. The driver reads the screen, and only ever denies.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

const TODOS = [
  { content: 'Fix it', activeForm: 'Fixing it', status: 'in_progress' },
  { content: 'Test it', activeForm: 'Testing it', status: 'pending' },
];
const plan = (todos) => JSON.stringify({ todos });
const heredoc = (json, delimiter = "'EOF'") => `TodoWrite <<${delimiter}\n${json}\nEOF`;

/** A plan's life. */
const OURS = [
  heredoc(plan(TODOS)),
  `TodoWrite '${plan(TODOS)}'`,
  'TodoWrite --done 1 --start 2',
  'TodoRead',
  'cd sub && TodoWrite --done 2',
  'cd sub && TodoRead',
  "TaskCreate --subject 'Fix it'",
  'TaskList',
  'TaskClaim --next',
  'TaskUpdate 1 --status completed',
  'TaskGet 1',
  'TaskInbox',
];
/** Gemini CLI refuses it whatever its user says. */
const QUOTING = heredoc(plan([{ ...TODOS[0], content: "Don't break `it`" }]));
/** Only what harms nothing if it ran. */
const OTHERS = [
  'TodoRead; touch bad',
  'TodoRead > bad',
  'TodoWrite "$(touch bad)"',
  heredoc('$(touch bad)', 'EOF'),
  `${heredoc(plan(TODOS))}\ntouch bad`,
  'PATH=. TodoRead',
  'TodoRead | sh',
  'TodoProve',
  'TodoRead() { touch bad; }; TodoRead',
  './TodoWrite',
  'TodoRead & touch bad',
  'TodoWrite <(touch bad)',
  'TodoWrite < /etc/passwd',
  'TaskProve 1',
];

const LOOK_MS = 100;
const ANSWER_MS = 45_000;
const READY_MS = 60_000;

/**
 * How many lines were asked about; `failed` names those of ours that went wrong.
 *
 * @returns {Promise<{ asked: string[], unasked: string[], failed: string[], ofOurs: number, ofOthers: number }>}
 */
export async function inDefaultMode(harness, { project, env, model }) {
  mkdirSync(join(project, 'sub'), { recursive: true });
  const { argv, ready, asks, refusesQuoting, isSandboxed } = harness.byPerson;
  const ours = refusesQuoting ? OURS : [...OURS, QUOTING];
  const server = `todowrite-asked-${process.pid}`;
  const tmux = (...words) =>
    spawnSync('tmux', ['-L', server, ...words], { env, cwd: project, encoding: 'utf8' });
  const screen = () => tmux('capture-pane', '-p').stdout;
  tmux('new-session', '-d', '-x', '120', '-y', '50', [harness.program, ...argv].join(' '));
  const others = isSandboxed ? [] : OTHERS;
  const counts = { ofOurs: ours.length, ofOthers: others.length };
  const result = { asked: [], unasked: [], failed: [], ...counts };
  try {
    await until(() => ready.test(screen()), READY_MS, screen);
    for (const [index, line] of [...ours, ...others].entries()) {
      const isOurs = index < ours.length;
      const end = `step-${index}-ended`;
      model.script([{ bash: line }, { text: end }]);
      tmux('send-keys', '-l', `step ${index} please`);
      await until(() => screen().includes(`step ${index} please`), READY_MS, screen);
      let looks = 0;
      const isOver = () => {
        const shown = screen();
        if (model.asked.length === 0 && looks++ % 10 === 0) tmux('send-keys', 'Enter');
        return asks.test(shown) || shown.includes(end);
      };
      await until(isOver, ANSWER_MS, screen);
      const isAsked = !screen().includes(end);
      if (isAsked && isOurs) result.asked.push(line);
      if (!isAsked && !isOurs) result.unasked.push(line);
      const said = model.asked.at(-1) ?? '';
      if (
        isOurs &&
        /Error: (?!\(none\))|EROFS|Read-only file system/.test(
          said.slice(said.lastIndexOf(`step ${index}`)),
        )
      ) {
        result.failed.push(line);
      }
      if (isAsked) {
        tmux('send-keys', 'Escape');
        await until(() => !asks.test(screen()), READY_MS, screen);
      }
    }
    if (existsSync(join(project, 'bad'))) result.unasked.push('one that made a file');
  } finally {
    tmux('kill-server');
  }
  return result;
}

async function until(isSo, time, screen) {
  const end = Date.now() + time;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`not seen in time: ${isSo}\n${screen()}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
