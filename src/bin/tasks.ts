import { harnessSession } from '../base/environment.ts';
import { isReady } from '../tasks/claims.ts';
import { isLeaseOver } from '../tasks/lease.ts';
import { TASK_FORMS, taskCommand } from '../tasks/task-commands.ts';
import { type TaskContext, teamOf } from '../tasks/task-context.ts';
import { taskRow } from '../tasks/task-store.ts';
import { peopleLook, runExecutable, withShortNames } from './run-executable.ts';

/** The name of the executable that runs this program, from its loader. */
declare const EXECUTABLE: string;

const taskLook = peopleLook();
const tasksLookForPeople: TaskContext['forPeople'] =
  taskLook &&
  (async (graph, tasks, clock) => {
    const { tasksForPeople } = await import('../screen/panel/for-people.ts');
    const rows = tasks.map((task) => ({
      ...taskRow(graph, task),
      isReady: isReady(graph, task, undefined, clock),
      isLeaseOver: clock !== undefined && isLeaseOver(task, clock),
    }));
    return tasksForPeople(rows, await taskLook());
  });

// One program for all task commands, told apart by the name of the executable.
runExecutable((home) => {
  const session = process.env.AGENT_SHELL_SESSION ?? harnessSession(process.env);
  const form = TASK_FORMS.find(({ name }) => name === EXECUTABLE);
  if (form === undefined) throw new Error(`no command on tasks is called ${EXECUTABLE}`);
  return taskCommand(form, teamOf(home, { forPeople: tasksLookForPeople, session }));
}, taskLook && withShortNames);
