/** What a command replied that did its work. */
export const ok = (stdout: string, stderr = '') => ({ stdout, stderr, exitCode: 0 });

/** What a command replied that did not. */
export const failed = (stderr: string, exitCode = 1) => ({ stdout: '', stderr, exitCode });
