import { readFileSync } from 'node:fs';

export const BUILD = { content: 'Build', activeForm: 'Building', status: 'pending' as const };

/** Reads a file of one JSON object a line, in which `<Build>` stands for an item. */
export function readTable<Row>(file: string): Row[] {
  const withItem = (_: string, value: unknown) => {
    if (value === '<Build>') return BUILD;
    return typeof value === 'string' ? value.replaceAll('<Build>', JSON.stringify(BUILD)) : value;
  };
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line, withItem));
}
