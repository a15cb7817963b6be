import { createRequire } from 'node:module';

// Its types do not compile with those of Node.
const { encode } = createRequire(import.meta.url)('gpt-tokenizer') as {
  encode(text: string): number[];
};

/** How many tokens a text is to a model: those of GPT-4o, near enough for any. */
export function tokens(text: string): number {
  return encode(text).length;
}
