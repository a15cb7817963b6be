import { orElse } from '../base/system/files.ts';

/**
 * Ends this process, which has written and closed everything: V8 is saved the time to tear down its heap. process.exit takes
 * Node a twentieth of a short command's own time to compile, and matters only to listeners.
 */
export function exitNow(): void {
  const { closeSync, openSync } = process.getBuiltinModule('node:fs');
  // A harness closes the terminal once no process has it open, and SIGHUP then kills the session's first process: this one.
  orElse(() => openSync('/dev/tty', 'r'), undefined);
  // At its end, Node gives a terminal among these the mode that it had at the start: in the background, that of a prompt.
  for (const descriptor of [0, 1, 2]) closeSync(descriptor);
  if (process.listenerCount('exit') > 0) process.exit();
  // `reallyExit` is missing in Node's types.
  const node = process as unknown as { reallyExit(code: number): void };
  node.reallyExit(Number(process.exitCode ?? 0));
}
