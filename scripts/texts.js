// Lists every text in src/ that a model or a person may read: help pages whole, and each string of two words or more, with
// its place. To read them one by one, as they will be read.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'vitest/node';

const isText = (piece) => /[A-Za-z]{2,},? [a-z]/.test(piece);

/** The places of all string and template literals below a node of the syntax tree. */
function* literalsOf(node) {
  const isString = node.type === 'Literal' && typeof node.value === 'string';
  if (isString || node.type === 'TemplateLiteral') yield node;
  else {
    for (const child of Object.values(node).flat()) if (child?.type) yield* literalsOf(child);
  }
}

function textsOf(name, text) {
  if (!name.endsWith('.ts')) {
    const code = text.replace(/^\s*#.*/gm, (comment) => ' '.repeat(comment.length));
    return [...code.matchAll(/'[^'\n]*'|"(?:[^"\\\n]|\\.)*"/g)].map(({ 0: piece, index }) => [
      index,
      piece,
    ]);
  }
  return [...literalsOf(parseAst(text, { lang: 'ts' }))].map(({ start, end }) => [
    start,
    text.slice(start, end),
  ]);
}

const src = join(import.meta.dirname, '..', 'src');
for (const name of readdirSync(src, { recursive: true, encoding: 'utf8' }).sort()) {
  if (!/\.(?:md|ts|sh|bash|html)$/.test(name)) continue;
  const text = readFileSync(join(src, name), 'utf8');
  if (name.endsWith('.md')) console.log(`\n${name}\n${text}`);
  for (const [start, piece] of name.endsWith('.md') ? [] : textsOf(name, text)) {
    if (isText(piece)) console.log(`${name}:${text.slice(0, start).split('\n').length}  ${piece}`);
  }
}
