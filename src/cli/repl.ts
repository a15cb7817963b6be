import type { AgentBashHandler } from '../command.ts';
export async function runInteractive(
  _handlers: AgentBashHandler[],
  _panel: boolean,
): Promise<number> {
  return 0;
}
