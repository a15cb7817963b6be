/**
 * Checks the options of a caller in JavaScript, which no type has stopped.
 *
 * @throws TypeError that names what is missing.
 */
export function mustHave<Options extends object>(
  what: string,
  options: Options | undefined,
  ...names: (keyof Options & string)[]
): void {
  const missing = names.filter((name) => options?.[name] === undefined);
  if (missing.length > 0)
    throw new TypeError(`${what} needs { ${names.join(', ')} }; missing: ${missing.join(', ')}`);
}
