// just-bash, a bash simulated in JavaScript, with a TodoWrite as its users would write one: strict, and kept simple.
import * as z from 'zod';
import { importPeer } from './peers.js';

const TEXT = z.string().min(1).max(200);
const STATUS = z.enum(['pending', 'in_progress', 'completed']);
const ITEM = z.strictObject({ content: TEXT, activeForm: TEXT, status: STATUS });
const LIST = z.strictObject({ todos: z.array(ITEM).max(50) });

/** Returns a function that runs a line in it. */
export async function justBash() {
  const { Bash, defineCommand } = await importPeer('just-bash');
  let todos = [];
  const todoWrite = defineCommand('TodoWrite', async ([text = '']) => {
    const { data, error } = LIST.safeParse(JSON.parse(text));
    if (error) return { stdout: '', stderr: `${z.prettifyError(error)}\n`, exitCode: 1 };
    todos = data.todos;
    return { stdout: `Todo list updated: ${todos.length} items\n`, stderr: '', exitCode: 0 };
  });
  const bash = new Bash({ customCommands: [todoWrite] });
  const run = async (line) => {
    const { exitCode, stderr } = await bash.exec(line);
    if (exitCode !== 0) throw new Error(`just-bash ended with ${exitCode}: ${stderr}`);
  };
  return { run };
}
