import { estimateTokenCount } from 'tokenx';

/**
 * The approximate number of tokens: within 5% of GPT-4o's tokenizer for the help pages and docs, whose tables would be a
 * sixth of what `npm ci` installs.
 */
export function tokens(text: string): number {
  return estimateTokenCount(text);
}
