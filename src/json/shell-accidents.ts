import { HEREDOC_FORM } from '../command/usage.ts';
import type { JsonProblem } from './json-problem.ts';

/** The ways in which bash is known to spoil a JSON argument before the command gets it. */
export type ShellAccident = Exclude<JsonProblem['kind'], 'other'> | 'split';

const EXPLANATIONS: Record<ShellAccident, string> = {
  cut: 'The JSON is cut short, as when an unescaped quote, a backtick or $( in its text ends it early.',
  split: 'The JSON is in pieces, as when an unescaped quote in its text splits it.',
  unquoted: 'The double quotes of the JSON are gone, as when bash takes them for its own.',
  'inner quote':
    'A double quote inside a text must be written \\"; or bash has put something else in its place.',
};

/** What is likely to have happened, and the heredoc form of the command, in which it cannot. */
export function explainAccident(accident: ShellAccident, heredocForm = HEREDOC_FORM): string {
  return `- ${EXPLANATIONS[accident]} In a heredoc bash changes nothing:\n${heredocForm}`;
}
