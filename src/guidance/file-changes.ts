import type { Redirection, SimpleCommand } from '../line/simple-commands.ts';
import { readingOf, textOf } from './line-reading.ts';
import type { RoutedCommand } from './rule.ts';

const GIT =
  'git (?:-\\S+ (?:\\S+ )?)*?(?:add|am|apply|cherry-pick|clean|clone|commit|init|merge|mv|pull|push|rebase|reset|restore|revert|rm|stash|switch|tag)\\b';
const FILES =
  '(?:cp|mv|rm|mkdir|rmdir|touch|ln|chmod|patch|apply_patch|tee|truncate|rsync|unzip)\\b|(?:sed|perl) (?:\\S+ )*?-\\w*i';
const PACKAGES =
  '(?:npm|pnpm|yarn|bun|pip3?|cargo|go|gem|composer|poetry|uv) (?:\\S+ )*?(?:i|install|add|remove|uninstall|get)\\b';
const CHANGE = new RegExp(`^(?:sudo )?(?:${GIT}|${FILES}|${PACKAGES})`);
const MAX_LENGTH = 4000;

/** All lines are gone through after each line. */
const known = new WeakMap<RoutedCommand, boolean>();

/** Whether a line that succeeded has changed files, packages or a git repository, as far as its words tell. */
export function changesFiles(command: RoutedCommand): boolean {
  let isChange = known.get(command);
  if (isChange === undefined) {
    isChange = command.exitCode === 0 && readingOf(command).commands.some(changes);
    known.set(command, isChange);
  }
  return isChange;
}

function changes(command: SimpleCommand): boolean {
  return CHANGE.test(textOf(command).slice(0, MAX_LENGTH)) || command.redirections.some(writesFile);
}

/** Not what goes into a device, or into another descriptor; nor a log of errors. */
function writesFile({ descriptor, operator, target }: Redirection): boolean {
  return (
    /^(?:>|>>|>\||&>|&>>|>&)$/.test(operator) &&
    descriptor !== '2' &&
    !/^(?:\/dev\/|\d+$|-$)/.test(target.text)
  );
}
