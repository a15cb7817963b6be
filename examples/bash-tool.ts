// The tools of bash-tool over a router: the model has bash, readFile and writeFile, and its list in that bash.
//
//   npm install ./todowrite-0.1.0.tgz bash-tool just-bash ai tsx && npx tsx bash-tool.ts
import { readFile, writeFile } from 'node:fs/promises';
import { createBashTool, type Sandbox } from 'bash-tool';
import { BashRouter } from 'todowrite';

const router = new BashRouter();
const sandbox: Sandbox = {
  executeCommand: (command) => router.route(command),
  readFile: (path) => readFile(path, 'utf8'),
  writeFiles: async (files) => {
    for (const { path, content } of files) await writeFile(path, content);
  },
};
const { tools } = await createBashTool({ destination: process.cwd(), sandbox });

// generateText({ tools }) does this for each call of the model:
const list = '{"todos":[{"content":"Tag it","activeForm":"Tagging it","status":"pending"}]}';
const command = `TodoWrite '${list}' && TodoRead`;
const result = await tools.bash.execute?.({ command }, { toolCallId: '1', messages: [] });
console.log(result && 'stdout' in result && result.stdout.trim());
await router.dispose();
