import type { RoutedCommand } from './rule.ts';

const GIT =
  'git (?:-\\S+ (?:\\S+ )?)*?(?:add|am|apply|cherry-pick|clean|clone|commit|init|merge|mv|pull|push|rebase|reset|restore|revert|rm|stash|switch|tag)\\b';
const FILES =
  '(?:cp|mv|rm|mkdir|rmdir|touch|ln|chmod|patch|apply_patch|tee|truncate|rsync|unzip)\\b|(?:sed|perl) (?:\\S+ )*?-\\w*i';
const PACKAGES =
  '(?:npm|pnpm|yarn|bun|pip3?|cargo|go|gem|composer|poetry|uv) (?:\\S+ )*?(?:i|install|add|remove|uninstall|get)\\b';
const CHANGE = new RegExp(
  `(?:^|[\\n;&|(]|\\b(?:do|then|else)\\s)\\s*(?:sudo\\s+)?(?:${GIT}|${FILES}|${PACKAGES})`,
);
/** Not into a device, nor into another descriptor. */
const REDIRECTION = /(?<![\d=<>-])>{1,2}(?![&(])\s*(?!\/dev\/)[^\s&|;<>]/;
const QUOTED = /'[^']*'|"(?:[^"\\]|\\.)*"/g;
const HEREDOC = /<<-?\s*(?:["']?)(\w+)[\s\S]*/;
const MAX_LENGTH = 4000;

const known = new WeakMap<RoutedCommand, boolean>();

/** Whether a line that succeeded has changed files, packages or a git repository, as far as its words tell. */
export function changesFiles(command: RoutedCommand): boolean {
  let isChange = known.get(command);
  if (isChange === undefined) {
    const line = command.line.slice(0, MAX_LENGTH).replace(QUOTED, 'x').replace(HEREDOC, '');
    // A heredoc may come before the file that it goes to.
    const head = command.line.split('\n', 1)[0]?.slice(0, MAX_LENGTH).replace(QUOTED, 'x') ?? '';
    isChange =
      command.exitCode === 0 &&
      (CHANGE.test(line) || REDIRECTION.test(line) || REDIRECTION.test(head));
    known.set(command, isChange);
  }
  return isChange;
}
