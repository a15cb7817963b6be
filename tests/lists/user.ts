// A user who calls agent commands: each line of input is a call, each line of output its result. A process for each call
// would take ten times as long.
import { createInterface } from 'node:readline';
import { callCommand } from '../helpers/commands.ts';

async function answerCalls(): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    const { umask, env, name, argv } = JSON.parse(line);
    process.umask(Number.parseInt(umask, 8));
    console.log(JSON.stringify(await callCommand(env, name, argv)));
  }
}

answerCalls();
