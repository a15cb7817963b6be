/**
 * Ends this process, which has written and closed everything: V8 is saved the time to tear down its heap. process.exit takes
 * Node a twentieth of a short command's own time to compile, and matters only to listeners.
 */
export function exitNow(): void {
  if (process.listenerCount('exit') > 0) process.exit();
  // Not in Node's types.
  (process as unknown as { reallyExit(code: number): void }).reallyExit(
    Number(process.exitCode ?? 0),
  );
}
