// TodoWrite and TodoRead in just-bash, whose bash is TypeScript and whose files are in memory.
//
//   npm install ./todowrite-0.1.0.tgz just-bash tsx && npx tsx just-bash.ts
import { Bash, defineCommand } from 'just-bash';
import { TodoReadHandler, TodoStore, TodoWriteHandler } from 'todowrite';

const store = new TodoStore();
const customCommands = [new TodoWriteHandler(store), new TodoReadHandler(store)].map((handler) =>
  // Its standard input is bytes, one a character.
  defineCommand(handler.name, (argv, { stdin }) =>
    handler.execute({ argv, stdin: async () => Buffer.from(String(stdin), 'latin1').toString() }),
  ),
);
const bash = new Bash({ customCommands });

const { stdout } = await bash.exec(`TodoWrite <<'EOF'
{"todos":[{"content":"Füll it","activeForm":"Filling it","status":"in_progress"}]}
EOF
for word in plan list; do echo "$word: $(TodoRead | head -n 1)"; done`);
console.log(stdout.trim());
