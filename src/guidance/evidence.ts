import { outcomeOf } from './command-outcome.ts';
import { promisesOf } from './promises.ts';
import type { Work } from './rule.ts';
import type { MissingEvidence } from './texts.ts';

const MAX_MENTIONED = 3;

/**
 * What the last replacement completed although its text promises what no command has shown. Only what is certain: a
 * command of the kind that may have passed, or may have run unseen, is the benefit of the doubt.
 */
export function missingEvidence({ changes }: Work): readonly MissingEvidence[] | undefined {
  const missing: MissingEvidence[] = [];
  for (const change of changes) {
    const { before, after } = change;
    if (!before || before.status === 'completed' || after?.status !== 'completed') continue;
    // Whether its check has passed is told of already.
    if (after.check !== undefined) continue;
    const { commands } = change;
    // A list that is read from a file or set by the host may have been worked on where nobody looked.
    if (!commands) continue;
    for (const kind of promisesOf(after)) {
      const last = commands.findLast((command) => outcomeOf(command, kind) !== undefined);
      const outcome = last && outcomeOf(last, kind);
      if (outcome === undefined || outcome === 'failed') {
        missing.push({ item: after, kind, failed: last });
      }
    }
  }
  return missing.length > 0 ? missing.slice(0, MAX_MENTIONED) : undefined;
}
