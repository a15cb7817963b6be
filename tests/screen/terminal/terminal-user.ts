import { takeTerminal } from '../../../src/screen/terminal/take-terminal.ts';

// Fills the screen, shows each key, and ends as its key says.

let seen = '';
const draw = () => process.stdout.write(`\x1b[H\x1b[2J<keys: ${seen}>\r\n`);
const release = takeTerminal(process.stdin, {
  enter: () => {
    process.stdout.write('\x1b[?1049h\x1b[?25l');
    draw();
  },
  leave: () => process.stdout.write('\x1b[?25h\x1b[?1049l'),
  onKeys: (keys) => {
    seen += JSON.stringify(keys).slice(1, -1);
    draw();
    if (keys === 'q') release();
    if (keys === 'e') process.exit(3);
    if (keys === 't') throw new Error('thrown on purpose');
  },
});
