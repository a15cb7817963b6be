import { nearName, nearNameText } from '../command/near-names.ts';

const NOT_FOUND = /^(?:.*: )?([\w-]{1,40}): command not found$/m;

/**
 * `stderr` of a line with the right name, where bash has not found a command whose name is nearly that of an agent
 * command. Nothing is run by guess.
 */
export function withNearName(stderr: string, commands: readonly string[]): string {
  const [line = '', name = ''] = NOT_FOUND.exec(stderr) ?? [];
  const meant = name && nearName(name, commands);
  return meant ? stderr.replace(`${line}\n`, () => nearNameText(name, meant)) : stderr;
}
