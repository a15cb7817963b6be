import { nearName, nearNameText } from '../command/near-names.ts';

const NOT_FOUND = /^(?:.*: )?([\w-]{1,40}): command not found$/m;

/**
 * Adds the right name to the stderr of a line if bash did not find a command whose name is close to that of an agent
 * command. Nothing is run on a guess.
 */
export function withNearName(stderr: string, commands: readonly string[]): string {
  const [line = '', name = ''] = NOT_FOUND.exec(stderr) ?? [];
  const meant = name && nearName(name, commands);
  return meant ? stderr.replace(`${line}\n`, () => nearNameText(name, meant)) : stderr;
}
