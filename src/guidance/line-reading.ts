import { type Reading, readCommands, type SimpleCommand } from '../line/simple-commands.ts';
import type { RoutedCommand } from './rule.ts';

/** Many rules ask about the same lines, and to read one takes long. */
const known = new WeakMap<RoutedCommand, Reading>();

/** What a line ran. */
export function readingOf(command: RoutedCommand): Reading {
  let reading = known.get(command);
  if (reading === undefined) {
    reading = readCommands(command.line);
    known.set(command, reading);
  }
  return reading;
}

/** The words of a command, without their quotes. */
export function textOf({ words }: SimpleCommand): string {
  return words.map(({ text }) => text).join(' ');
}
