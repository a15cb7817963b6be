/** The environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A view of several environments, which sees their later changes: the last one that has a variable gives its value. */
export function layered(...layers: readonly Environment[]): Environment {
  const valueIn = (name: string) => layers.findLast((layer) => Object.hasOwn(layer, name))?.[name];
  return new Proxy<Environment>(
    {},
    {
      get: (_, name) => valueIn(String(name)),
      ownKeys: () => [...new Set(layers.flatMap((layer) => Object.keys(layer)))],
      getOwnPropertyDescriptor: (_, name) =>
        layers.some((layer) => Object.hasOwn(layer, name))
          ? { value: valueIn(String(name)), enumerable: true, configurable: true }
          : undefined,
    },
  );
}

/** The variables that name the caller's list: a command uses its caller's values, not its host's. */
export const CALLER_VARIABLES = [
  'TODO_SESSION',
  'TODO_AGENT',
  'TODO_TEAM',
  'TODO_TASK_LIST',
] as const;

export function callerVariables(environment: Environment): Record<string, string> {
  return Object.fromEntries(
    CALLER_VARIABLES.flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** The caller's variables. Returns undefined if this process has the same ones. */
export function othersVariables(caller: Environment, own: Environment) {
  const isOther = caller !== own && CALLER_VARIABLES.some((name) => caller[name] !== own[name]);
  return isOther ? callerVariables(caller) : undefined;
}

/** Harnesses export the session id to the commands they run; if one harness runs another, the first variable counts. */
const HARNESS_SESSIONS = [
  'CLAUDE_CODE_SESSION_ID',
  'CODEX_THREAD_ID',
  // Set by the plugin that `agent-shell setup opencode` writes.
  'OPENCODE_SESSION_ID',
] as const;

export function harnessSession(environment: Environment): string | undefined {
  return HARNESS_SESSIONS.map((name) => environment[name]).find(Boolean);
}
