// Loaded before program-loader.cjs (node -r): at the end of the program, writes what V8 has made of it where the loader
// looks for it.
const { writeFileSync } = require('node:fs');
const { basename, dirname, join } = require('node:path');
const vm = require('node:vm');

const [, executable] = process.argv;
const file = join(dirname(dirname(executable)), 'programs', basename(executable));

vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    process.on('exit', () => {
      const version = `${process.version}-${process.platform}-${process.arch}`;
      writeFileSync(`${file}.${version}`, this.createCachedData());
    });
  }
};
