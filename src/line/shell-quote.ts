import parse from 'shell-quote/parse.js';

/** shell-quote's `parse`. The programs load its code with the first word that needs it (scripts/build.js). */
export const loadParse = () => parse;
