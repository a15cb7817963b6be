export { BashRouter } from './router/bash-router.ts';
