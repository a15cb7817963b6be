/**
 * One file with two programs: to JavaScript the shell's part is a comment, and the shell exits before the other part.
 * Patterns of files are off in sh by then (set -f), so that it does not expand `/*`.
 *
 * @param {string} shell its patterns are the same without what would end a comment
 * @param {string} javaScript
 */
export const twoPrograms = (shell, javaScript) =>
  `#!/bin/sh\n':' //; agent_shell_flags=$-; set -f\ntrue /*\n${shell.replaceAll('*/', '*[/]')}exit\n*/\n${javaScript}`;
