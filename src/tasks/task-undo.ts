import { done } from '../command/agent-command.ts';
import { refusal } from '../command/replies.ts';
import { NOTHING_TO_UNDO, noSuchVersion } from './reasons.ts';
import type { TaskGraph } from './task.ts';
import { taskForm } from './task-form.ts';
import { changesOf, changeText, type TaskChangeEntry, undoChange } from './task-history.ts';
import { AT } from './task-schema.ts';
import { reasonLines } from './task-text.ts';
import helpPage from './task-undo.md';
import { checkOfOthers } from './update-task.ts';

const TITLE = 'Cannot undo';

/** `TaskUndo`: takes back the last change, or the one that made a version, where nothing was built on it. */
export const TASK_UNDO = taskForm({
  name: 'TaskUndo',
  summary: 'takes back the last change',
  usage: 'TaskUndo [--at VERSION]',
  helpPage,
  example: '{"at":12}',
  fields: { at: AT },
  purpose: 'undo the change',
  run: async ({ at }, { store, agent, change }) => {
    const entries = await changesOf(store);
    const entry = at === undefined ? entries[0] : entries.find(({ version }) => version === at);
    if (entry === undefined) {
      const kept = entries.map(({ version }) => version);
      const reason = at === undefined ? NOTHING_TO_UNDO : noSuchVersion(at, kept);
      return refusal(TITLE, reasonLines([reason]));
    }
    const outcome = await change((graph, now) => {
      const refused = entry.after.by === agent ? [] : checksOfOthers(graph, entry, agent);
      return refused.length > 0 ? { refused } : undoChange(graph, entry, now);
    });
    if ('refused' in outcome) return refusal(TITLE, reasonLines(outcome.refused));
    return done(`Undone: ${changeText(entry)}\n`);
  },
});

/** Undoing the change of a check changes it: who has not made that change must be allowed to. */
function checksOfOthers({ tasks }: TaskGraph, { ids, before }: TaskChangeEntry, agent: string) {
  return ids.flatMap((id) => {
    const [was, task] = [before.tasks.get(id), tasks.get(id)];
    return was && task ? checkOfOthers(task, was.check, agent) : [];
  });
}
