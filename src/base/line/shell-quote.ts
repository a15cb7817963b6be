import parse from 'shell-quote/parse.js';

/** Programs load shell-quote with the first word that needs it (scripts/build.js). */
export const loadParse = () => parse;
