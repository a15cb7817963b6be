import { done } from '../command/agent-command.ts';
import { jsonLine } from '../json/json-value.ts';
import { noticeText, takeNotices } from './inbox.ts';
import type { TaskForm } from './task-form.ts';
import helpPage from './task-inbox.md';
import { requestSchema } from './task-schema.ts';

/** `TaskInbox`: what concerns the caller and it has not heard, and that it now has. */
export const TASK_INBOX: TaskForm<object> = {
  name: 'TaskInbox',
  summary: 'what others did',
  usage: 'TaskInbox [--json]',
  helpPage,
  example: '{}',
  fields: {},
  options: { '--json': 'flag' },
  readsStdin: false,
  purpose: 'show the inbox',
  check: requestSchema({}),
  run: async (_request, { store, agent, options }) => {
    const outcome = await store.change((graph) =>
      takeNotices(graph, agent, Number.MAX_SAFE_INTEGER),
    );
    const taken = 'refused' in outcome ? [] : outcome.change.taken;
    const text = taken.map((notice) => `${notice.at}  ${noticeText(notice)}\n`).join('');
    const stdout = options['--json'] ? jsonLine({ notices: taken }) : text || 'Nothing new.\n';
    return done(stdout);
  },
};
