import { nearest, plainly } from './options.ts';

export const DONE = 'TodoWrite --done N';
export const PENDING = 'TodoWrite --pending N';
export const DROP = 'TodoWrite --drop N';

/** Names that models invent, by what they mean: a command, or an example call of one if its name alone does not help. */
const INVENTED: readonly (readonly [meant: string, names: string])[] = [
  [
    'TodoWrite',
    'todoupdate todocreate todoset todoedit todomodify writetodos updatetodos updateplan managetodolist',
  ],
  ['TodoWrite --add "..." --active-form "..."', 'todoadd todoadditem todonew addtodo'],
  ['TodoWrite --start N', 'todostart todobegin'],
  [DONE, 'tododone todocomplete todocompleted todofinish todomark'],
  [PENDING, 'todopending todoreopen todoblock todostop'],
  [DROP, 'tododrop todoremove tododelete'],
  ['TodoWrite \'{"todos":[]}\'', 'todoclear todoreset'],
  ['TodoWrite --undo', 'todoundo'],
  ['TodoRead', 'todolist todoget todoshow todostatus todonext readtodos listtodos'],
  ['TodoRead --history', 'todohistory todolog'],
  ['TodoProve', 'todoverify todocheck todotest'],
  ['TaskProve', 'taskverify taskcheck tasktest'],
  ['TaskUpdate', 'taskedit taskset taskmodify updatetask'],
  ['TaskUpdate ID --status completed', 'taskdone taskcomplete taskcompleted taskfinish taskclose'],
  ['TaskUpdate ID --status pending', 'taskreopen'],
  ['TaskUpdate ID --status deleted', 'taskdelete taskremove'],
  ['TaskUpdate ID --add-blocked-by OTHER', 'taskblock'],
  ['TaskUpdate ID --owner NAME', 'taskassign'],
  ['TaskUpdate ID --comment "..."', 'taskcomment tasknote'],
  ['TaskCreate', 'taskadd tasknew taskwrite createtask'],
  ['TaskList', 'tasks taskslist listtasks taskls'],
  ['TaskList --history', 'taskhistory tasklog'],
  ['TaskGet', 'taskread taskshow taskview taskstatus gettask'],
  ['TaskClaim', 'tasktake taskstart claimtask'],
  ['TaskClaim --next', 'tasknext'],
  ['TaskRelease', 'taskdrop taskstop taskunassign taskunclaim'],
];

/** Printed in place of, or after, bash's `command not found`; undefined if no command's name is close. */
export function nearNameText(name: string, commands: readonly string[]): string | undefined {
  const call = nearCall(name, commands);
  const [command = ''] = call?.split(' ') ?? [];
  if (!commands.includes(command)) return undefined;
  const example = call === command ? '' : ` Try: ${call}`;
  return `${name}: command not found; did you mean ${command}?${example}\n`;
}

function nearCall(name: string, commands: readonly string[]): string | undefined {
  const plain = plainly(name);
  const same = commands.find((command) => plainly(command) === plain);
  if (same !== undefined) return same === name ? undefined : same;
  const [meant] = INVENTED.find(([, names]) => names.split(' ').includes(plain)) ?? [];
  if (meant !== undefined) return meant;
  // A typing error. Other programs' names, such as `todo` and `task`, are further away.
  return nearest(name, commands, 1);
}
