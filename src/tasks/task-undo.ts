import { done } from '../base/command/agent-command.ts';
import { noteLines } from '../base/command/replies.ts';
import { because } from './reasons.ts';
import type { TaskGraph } from './task.ts';
import { AT } from './task-fields.ts';
import { taskForm } from './task-form.ts';
import { changeText, type TaskChangeEntry, taskChangesIn, undoChange } from './task-history.ts';
import helpPage from './task-undo.md';
import { checkOfOthers } from './update-task.ts';

const TITLE = 'Cannot undo';

export const TASK_UNDO = taskForm({
  name: 'TaskUndo',
  summary: 'undoes the last change',
  usage: 'TaskUndo [--at VERSION]',
  helpPage,
  example: '{"at":12}',
  fields: { at: AT },
  purpose: 'undo the change',
  run: async ({ at }, call) => {
    const { store, agent } = call;
    const kept: number[] = [];
    let entry: TaskChangeEntry | undefined;
    for (const change of taskChangesIn(await store.versions())) {
      kept.push(change.version);
      if (at !== undefined && change.version !== at) continue;
      entry = change;
      break;
    }
    // Reading the versions has read the newest, too: this is not a second read.
    const { damage } = await store.read();
    if (damage && at === undefined && (await store.restore(agent))) {
      return done(`Undone: a damaged change\n`, noteLines([damage]));
    }
    if (entry === undefined) {
      const reason =
        at === undefined ? because('nothing_to_undo') : because('no_such_version', at, kept, true);
      return { refused: [reason], title: TITLE };
    }
    const undone = entry;
    const outcome = await call.change((graph, now) => {
      const refused = undone.after.by === agent ? [] : checksOfOthers(graph, undone, agent);
      return refused.length > 0 ? { refused } : undoChange(graph, undone, now);
    });
    if ('refused' in outcome) return { ...outcome, title: TITLE };
    return done(`Undone: ${changeText(undone)}\n`);
  },
});

/** Undoing the change of another agent's check needs the right to change it. */
function checksOfOthers({ tasks }: TaskGraph, { ids, before }: TaskChangeEntry, agent: string) {
  return ids.flatMap((id) => {
    const [was, task] = [before.tasks.get(id), tasks.get(id)];
    return was && task ? checkOfOthers(task, was.check, agent) : [];
  });
}
