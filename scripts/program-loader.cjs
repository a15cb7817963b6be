// Runs the program of the same name in ../programs. Beside it is what V8 made of it when it was built, so that it need
// not be compiled again; for another Node than that of the build, or without that file, it is compiled as ever.
const { readFileSync } = require('node:fs');
const { basename, dirname, join } = require('node:path');
const { Script } = require('node:vm');

const file = join(dirname(__dirname), 'programs', basename(__filename));

function compiledBefore() {
  try {
    return readFileSync(`${file}.${process.version}-${process.platform}-${process.arch}`);
  } catch {
    return undefined;
  }
}

const parameters = 'exports, require, module, __filename, __dirname';
const source = `(function (${parameters}) {${readFileSync(file, 'utf8')}\n})`;
// The name goes into what is kept, and with the last part of a path V8 would keep the path.
const script = new Script(source, { filename: 'program.cjs', cachedData: compiledBefore() });
script.runInThisContext()(exports, require, module, file, dirname(file));
