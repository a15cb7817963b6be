import { asWord } from '../base/line/quotes.ts';
import { orElse, writeAll } from '../base/system/files.ts';
import { isOfAgent } from '../screen/terminal/driven.ts';
import type { TodoHome } from '../todo/todo-home.ts';
import { TodoReadHandler } from '../todo/todo-read.ts';
import type { OpenList } from '../todo/todo-source.ts';
import { peopleLook, runExecutable, withShortNames } from './run-executable.ts';

const listLook = peopleLook();
const listForPeople: ConstructorParameters<typeof TodoReadHandler>[2] =
  listLook &&
  (async (versions) => {
    const { todosForPeople } = await import('../screen/panel/for-people.ts');
    return todosForPeople(versions, await listLook());
  });
// A status line is for people, but not on a terminal.
const isForPeople = listLook || (process.argv.includes('--line') && !isOfAgent(process.env));

/** A person without a list sees that of the session's last writer, as in the viewer; a model sees only its own. */
function openForPeople(home: TodoHome): OpenList {
  return async (name, settings) => {
    const own = home.open(name, settings);
    if (name.agent !== undefined || (await own.read()).version > 0) return own;
    const newest = await home.newest(home.name(name, settings).session);
    if (newest && listLook) await sayWhose(newest.agent, name.session);
    return newest?.list ?? own;
  };
}

/** The viewer signs as the user, so the agent is told of the change. */
async function sayWhose(agent: string, session: string | undefined): Promise<void> {
  const { agentName, printable } = await import('../screen/panel/look.ts');
  const { themeFor } = await import('../screen/panel/theme.ts');
  const theme = themeFor(process.stderr, process.env);
  const whose = `The list of ${printable(agentName(agent), theme)}; you have none here.`;
  const option = session === undefined ? '' : ` --session ${printable(asWord(session), theme)}`;
  const way = `To change it: agent-shell watch${option}`;
  const text = [whose, way].map((line) => `${theme.paint.faint(line)}\n`).join('');
  orElse(() => writeAll(2, text), undefined);
}

runExecutable((home, settings) => {
  const open = isForPeople ? openForPeople(home) : home.open;
  return new TodoReadHandler(open, settings, listForPeople);
}, listLook && withShortNames);
