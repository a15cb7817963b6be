// The second part of `npm run harnesses`: each harness as a person starts it, at a terminal, with its own approval and
// sandbox. The driver reads the screen, and only ever denies.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Terminal } from './terminal.js';

const TODOS = [
  { content: 'Fix it', activeForm: 'Fixing it', status: 'in_progress' },
  { content: 'Test it', activeForm: 'Testing it', status: 'pending' },
];
const LONG = Array.from({ length: 12 }, (_, index) => ({
  content: `Step ${index + 1}`,
  activeForm: `Doing step ${index + 1}`,
  status: index < 6 ? 'completed' : index === 6 ? 'in_progress' : 'pending',
}));
const plan = (todos) => JSON.stringify({ todos });
const heredoc = (json, delimiter = "'EOF'") => `TodoWrite <<${delimiter}\n${json}\nEOF`;

/** A plan's life: the lines, and what the model hears of each. PROJECT: only some harnesses stay in a folder. */
const OURS = [
  [heredoc(plan(TODOS)), 'Todo list updated: 0 completed, 1 in_progress, 1 pending'],
  [`TodoWrite '${plan(TODOS)}'`, 'Todo list updated: 0 completed, 1 in_progress, 1 pending'],
  ['TodoWrite --done 1 --start 2', 'Todo list updated: 1 completed, 1 in_progress'],
  ['TodoRead', '\n\n(1/2 completed)'],
  ['cd sub && TodoWrite --done 2', 'Todo list updated: 2 completed'],
  ['cd PROJECT && TodoRead', '\n\n(2/2 completed)'],
  ["TaskCreate --subject 'Fix it'", 'Task #1 created'],
  ['TaskList', 'Fix it'],
  ['TaskClaim --next', 'Task #1 claimed'],
  ['TaskUpdate 1 --status completed', 'Updated task #1'],
  ['TaskGet 1', 'Status: completed'],
  ['TaskInbox', 'Nothing new.'],
  [`TodoWrite '${plan(LONG)}'`, 'Todo list updated: 6 completed, 1 in_progress, 5 pending'],
  ['TodoRead', '(6/12 completed)'],
];
/** Gemini CLI refuses it whatever its user says. */
const QUOTING = [
  heredoc(plan([{ ...TODOS[0], content: "Don't break `it`" }])),
  'Todo list updated: 0 completed, 1 in_progress, 0 pending',
];
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

export function linesFor({ byPerson: { refusesQuoting, isSandboxed, asksAll } }) {
  const ours = refusesQuoting ? OURS : [...OURS, QUOTING];
  return asksAll
    ? { ours: [], others: ours.map(([line]) => line) }
    : { ours, others: isSandboxed ? [] : OTHERS };
}

/**
 * The lines that were asked about against the promise, or that did not work; and those whose reply the harness lost. Of
 * these, one that writes has to have changed a list, and one that reads is run again.
 *
 * @returns {Promise<{ asked: string[], unasked: string[], failed: string[], lost: string[] }>}
 */
export async function inDefaultMode(harness, world) {
  const { project, inProject } = world;
  mkdirSync(join(project, 'sub'), { recursive: true });
  const { ours, others } = linesFor(harness);
  const { losesReply, shows = 'Now 7: Step 7' } = harness.byPerson;
  const lists = async () =>
    losesReply && (await inProject('bash', ['-c', 'TodoRead --json; TaskList --json'])).output;
  const result = { asked: [], unasked: [], failed: [], lost: [] };
  await atTerminal(harness, world, async (run) => {
    for (const [line, reply] of ours) {
      const inPlace = line.replace('PROJECT', project);
      const before = await lists();
      let ran = await run(inPlace);
      let hasWorked = ran.heard(reply);
      if (losesReply?.test(ran.said)) {
        result.lost.push(line);
        const isReading = /Read|List|Get|Inbox/.test(line.split(' && ').at(-1).split(' ')[0]);
        if (isReading) ran = await run(inPlace);
        hasWorked = isReading ? ran.heard(reply) : (await lists()) !== before;
      }
      if (ran.isAsked) result.asked.push(line);
      else if (!hasWorked)
        result.failed.push(`${line}, and the model heard ${ran.said.slice(0, 2000)}`);
      // Harnesses fold a long list: the item in progress is in its first line, and in one of its last.
      const folded = reply.includes('/12') ? await ran.unshown(shows) : '';
      if (folded) result.failed.push(`folded: ${line}, ${folded}`);
    }
    for (const line of others) if (!(await run(line)).isAsked) result.unasked.push(line);
  });
  if (existsSync(join(project, 'bad'))) result.unasked.push('one that made a file');
  return result;
}

/** The user's own rules, once they deny TodoWrite and ask about TodoRead. @returns those that did not win. */
export async function withOwnRules(harness, world) {
  const lost = [];
  harness.byPerson.ownRules(world);
  await atTerminal(harness, world, async (run) => {
    for (const line of [heredoc(plan(TODOS)), 'TodoWrite --done 1']) {
      const { isAsked, heard } = await run(line);
      if (isAsked || heard('Todo list updated')) lost.push(`deny: ${line}`);
    }
    if (!(await run('TodoRead')).isAsked) lost.push('ask: TodoRead');
  });
  return lost;
}

/** Gives `play` a function that lets the model run a line, and says what came of it; its question is answered with no. */
async function atTerminal(harness, { project, env, model }, play) {
  const { argv, asks } = harness.byPerson;
  const terminal = new Terminal([harness.program, ...argv], { cwd: project, env });
  const screen = () => terminal.screen();
  let step = 0;
  const run = async (line) => {
    const prompt = `step ${step++} please`;
    const end = `${prompt.replaceAll(' ', '-')}-ended`;
    model.script([{ bash: line }, { text: end }]);
    await terminal.type(prompt, () => model.asked.length > 0);
    // One look decides: a redraw may clear the screen at the next.
    let all = '';
    await terminal.until(() => {
      all = screen();
      return asks.test(all) || all.includes(end);
    });
    const isAsked = !all.includes(end);
    if (isAsked) {
      terminal.press('Escape');
      await terminal.until(() => !asks.test(screen()));
      await terminal.rest();
    }
    const last = model.asked.at(-1) ?? '';
    const said = last.slice(last.lastIndexOf(prompt));
    return {
      isAsked,
      said,
      heard: (text) => said.includes(JSON.stringify(text).slice(1, -1)),
      // It is waited for: the end may be drawn before what is above it, and a redraw begins with an empty screen.
      unshown: (text) =>
        terminal.until(() => screen().includes(text)).catch(({ message }) => message),
    };
  };
  try {
    await terminal.start(harness.byPerson);
    await play(run);
  } finally {
    await terminal.close();
  }
}
