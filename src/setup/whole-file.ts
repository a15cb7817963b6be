import { type Edit, SetupError } from './edit.ts';

/** A file that is entirely ours; its first line says so. */
export function wholeFile(content: string): Edit {
  const firstLine = content.slice(0, content.indexOf('\n'));
  const isOurs = (text: string) => text.startsWith(firstLine);
  return {
    shown: content,
    add: (text) => {
      if (text !== undefined && !isOurs(text)) {
        throw new SetupError('is there already, and was not written by agent-shell setup');
      }
      return content;
    },
    remove: (text) => (isOurs(text) ? undefined : text),
  };
}
