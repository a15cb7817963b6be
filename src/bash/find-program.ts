export { canRun, DEFAULT_PATH, findBash, findProgram } from '../system/find-program.ts';
