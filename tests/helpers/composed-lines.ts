import type { Random } from './random.ts';

const STATUSES = ['pending', 'in_progress', 'completed'];
const VARIABLES = ['v', 'w', 'text'];
const WORDS = [
  ...['a', 'b1', 'two words', "it's", 'x=y', '*', '$', '\\', '"', 'ü漢😀', '-n', '%s', '', ' '],
  ...['[x]', '~', '#', '!'],
];
const FILES = ['f1', 'f2', 'f 3'];

/** A place in a line: `return` is allowed only in a function, `break` only in a loop. */
interface Context {
  depth: number;
  inFunction: boolean;
  inLoop: boolean;
}

/**
 * Lines that might run forever or beyond their end, print the process or all variables, or redirect the output of later
 * lines.
 */
const NOT_FOR_COMPARING = /while|until|<\(|(?<![&<>|])&(?![&>])|\$[$!-]|\bexec\b|\bset\b(?! [-+])/;

/**
 * Random lines of real bash around echo, printf, cat, test and TodoWrite. Each ends by itself, needs only an empty
 * directory, prints the same each time, and names no file outside of its directory.
 */
export class ComposedLines {
  readonly #random: Random;
  #heredocs: string[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  next(): string {
    const line = this.#list({
      depth: this.#random.pick([0, 1, 1, 2, 2, 3]),
      inFunction: false,
      inLoop: false,
    });
    const whole = this.#random.chance(0.7) ? line : `${this.#preamble()}${line}`;
    if (!this.#random.chance(0.08)) {
      return whole;
    }
    // With a typing slip.
    const slipped = this.#slip(whole);
    return NOT_FOR_COMPARING.test(slipped) ? whole : slipped;
  }

  #preamble(): string {
    return this.#random.pick([
      'set -e; ',
      'set -o pipefail; ',
      'set -f; ',
      'IFS=:; ',
      'v=1 w="a b"; ',
      'set -- one "two words" three; ',
      'shopt -s nullglob; ',
      "trap 'echo failed $?' ERR; ",
      'exec 3>&1 4>f1; ',
      'set -o posix; ',
    ]);
  }

  #slip(line: string): string {
    const at = this.#random.below(line.length + 1);
    const characters = [
      ...['"', "'", '`', '(', ')', '{', '}', '|', '<', ';', '\n', '$', '\\', ' ', '!', '#'],
    ];
    return this.#random.chance(0.5)
      ? line.slice(0, at) + line.slice(at + 1 + this.#random.below(3))
      : line.slice(0, at) + this.#random.pick(characters) + line.slice(at);
  }

  #list(context: Context): string {
    let list = this.#statement(context);
    for (let more = this.#random.pick([0, 0, 1, 2]); more > 0; more -= 1) {
      list += this.#endOfLine() || this.#separator();
      list += this.#statement(context);
    }
    return list + this.#endOfLine();
  }

  /** A newline and the line's heredocs, or nothing. */
  #endOfLine(): string {
    const texts = this.#heredocs.join('');
    this.#heredocs = [];
    return texts && `\n${texts}`;
  }

  /** A list that more text may follow. */
  #body(context: Context): string {
    const body = this.#list({ ...context, depth: context.depth - 1 });
    return body.endsWith('\n') ? body : `${body}${this.#random.pick(['; ', '\n'])}`;
  }

  #separator(): string {
    return this.#random.pick(['; ', '; ', ' && ', ' || ', '\n', ';\n', ' # comment\n']);
  }

  #statement(context: Context): string {
    if (context.depth <= 0) {
      return this.#simple(context);
    }
    const inner = { ...context, depth: context.depth - 1 };
    const body = () => this.#body(context);
    switch (this.#random.below(22)) {
      case 0:
        return `if ${this.#condition(inner)}; then ${body()}fi`;
      case 1:
        return `if ${this.#condition(inner)}; then ${body()}else ${body()}fi`;
      case 2:
        return `for v in ${this.#words(context)}; do ${this.#body({ ...context, inLoop: true })}done`;
      case 3:
        return `n${context.depth}=0; while ((n${context.depth}++ < ${this.#random.below(4)})); do ${this.#body({ ...context, inLoop: true })}done`;
      case 4:
        return `for ((k${context.depth} = 0; k${context.depth} < ${this.#random.below(3)}; k${context.depth}++)); do ${this.#body({ ...context, inLoop: true })}done`;
      case 5:
        return `case ${this.#word(context)} in a*) ${body()}\n;; *\\ *) ${body()}\n;; *) ${body()}\nesac`;
      case 6:
        return `(${body()})${this.#redirection()}`;
      case 7:
        return `{ ${body()}}${this.#redirection()}`;
      case 8:
        return `f() { ${this.#body({ depth: context.depth, inFunction: true, inLoop: false })}}; f ${this.#words(context)}`;
      case 9:
        // Bash 5.2 loses a separator after a heredoc of a negated command in a substitution, but not with braces.
        return `! { ${this.#simple(context)}${this.#endOfLine() || '; '}}`;
      case 10:
        return `{ { ${body()}} & wait${this.#random.pick([' $!', ''])}; }`;
      case 11:
      case 12:
        // The braces keep the pipe open to their end, whatever is redirected inside.
        return `{ ${this.#simple({ ...context, depth: 0 })}${this.#endOfLine() || '; '}} | ${this.#reader(context)}`;
      case 13:
        return `{ ${body()}} | ${this.#reader(context)}`;
      case 14:
        return `v=$(${body()})`;
      case 15:
        return `echo "$(${body()})"`;
      case 16:
        return `(trap 'echo "end $?"' EXIT; ${body()})`;
      case 17:
        return `while read -r text; do echo "<$text>"; ${body()}done <<< ${this.#word(context)}`;
      case 18:
        return `${this.#simple(context)} && ${this.#simple(context)} || ${this.#simple(context)}`;
      case 19:
        return `cat < <(${body()}:)`;
      case 20:
        return `bash -c ${quoted(`echo "$1"; ${this.#withoutHeredocs(() => this.#simple(inner))}`)} - ${this.#word(context)}`;
      default:
        return `eval ${quoted(this.#withoutHeredocs(() => this.#simple(inner)))}`;
    }
  }

  /** With its heredocs inside of it, not after the line around it. */
  #withoutHeredocs(make: () => string): string {
    const kept = this.#heredocs;
    this.#heredocs = [];
    const whole = make() + this.#endOfLine();
    this.#heredocs = kept;
    return whole;
  }

  #condition(context: Context): string {
    switch (this.#random.below(6)) {
      case 0:
        return `[ ${this.#quotedWord(context)} = ${this.#quotedWord(context)} ]`;
      case 1:
        return `test -${this.#random.pick(['n', 'z', 'e', 'f', 's'])} ${this.#quotedWord(context)}`;
      case 2:
        return `[[ ${this.#quotedWord(context)} == ${this.#random.pick(['*a*', 'b?', '"$v"', '[a-z]*'])} ]]`;
      case 3:
        return `((${this.#arithmetic()} > 1))`;
      case 4:
        return this.#todoWrite(context);
      default:
        return this.#random.pick(['true', 'false', ':', '! true']);
    }
  }

  #simple(context: Context): string {
    const word = () => this.#word(context);
    switch (this.#random.below(26)) {
      case 0:
      case 1:
      case 2:
        return `echo ${this.#words(context)}${this.#redirection()}`;
      case 3:
      case 4:
        return `printf '%s|' ${this.#words(context)}${this.#redirection()}`;
      case 5:
        return `cat ${this.#file()}`;
      case 6:
        return `cat <<< ${word()}`;
      case 7:
        return this.#heredoc('cat');
      case 8:
        return `${this.#random.pick(VARIABLES)}=${this.#quotedWord(context)}`;
      case 9:
        return `${this.#random.pick(VARIABLES)}+=${this.#quotedWord(context)}`;
      case 10:
        return `${this.#condition({ ...context, depth: 0 })}`;
      case 11:
        return `echo "status $?"`;
      case 12:
        return `read -r v w <<< ${this.#quotedWord(context)}; echo "[$v][$w]"`;
      case 13:
        return `set -- ${this.#words(context)}; echo $# "$*"`;
      case 14:
        return context.inFunction
          ? this.#random.pick([
              'return',
              `return ${this.#random.below(5)}`,
              'local v=inner; echo "$v"',
              'echo "$@"',
              'shift',
            ])
          : this.#random.pick([
              'nosuchcommand',
              'return 3',
              `exit ${this.#random.below(4)}`,
              'shift 9',
              'unset v',
            ]);
      case 15:
        return context.inLoop
          ? this.#random.pick(['break', 'continue', 'break 2', 'echo "$v"'])
          : this.#random.pick([
              'break',
              'false',
              'cd nowhere',
              '((1 / 0))',
              'echo $((08))',
              'local x',
            ]);
      case 16:
        return `arr=(${this.#words(context)}); echo "\${#arr[@]}" "\${arr[@]}"`;
      case 17:
        return `v=${this.#quotedWord(context)} printf '%s\\n' ${word()}`;
      default:
        return this.#todoWrite(context);
    }
  }

  /** A command that reads standard input. */
  #reader(context: Context): string {
    return this.#random.pick([
      'cat',
      'tr a-z A-Z',
      'cat -A',
      'while read -r text; do echo "<$text>"; done',
      'TodoWrite',
      'TodoWrite -',
      'wc -c',
      'xargs -n 2 echo',
      '{ read -r text; echo "$text"; cat; }',
      `{ cat; ${this.#withoutHeredocs(() => this.#simple({ ...context, depth: 0 }))}\n}`,
    ]);
  }

  #todoWrite(context: Context): string {
    const json = this.#json();
    const redirection = this.#redirection();
    switch (this.#random.below(18)) {
      case 0:
      case 1:
      case 2:
        return `TodoWrite ${quoted(json)}${redirection}`;
      case 3:
        return `TodoWrite ${doubleQuoted(json)}${redirection}`;
      case 4:
        return `TodoWrite $'${json.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'${redirection}`;
      case 5:
        return this.#heredoc(`TodoWrite${this.#random.pick(['', ' -'])}`, json);
      case 6:
        return `echo ${quoted(json)} | TodoWrite${redirection}`;
      case 7:
        return `printf '%s' ${quoted(json)} | TodoWrite -`;
      case 8:
        return `TodoWrite <<< ${quoted(json)}${redirection}`;
      case 9:
        return `printf '%s\\0' ${quoted(json)} | xargs -0 TodoWrite`;
      case 10:
        return `json=${quoted(json)}; TodoWrite "$json"${redirection}`;
      case 11:
        return `echo ${quoted(json)} > f1; TodoWrite < f1`;
      case 12:
        return `TodoWrite "$(cat <<'END'\n${json}\nEND\n)"`;
      case 13:
        return `TodoWrite "{\\"todos\\":[{\\"content\\":\\"Step $v $((1 + 1))\\",\\"activeForm\\":\\"\${w:-Stepping}\\",\\"status\\":\\"pending\\"}]}"`;
      case 14:
        return `bash -c 'TodoWrite "$1"' - ${quoted(json)}`;
      case 15:
        return `echo "$(TodoWrite ${quoted(json)})"${redirection}`;
      case 16:
        return `FOO=1 command TodoWrite ${quoted(json)}`;
      default:
        return `TodoWrite ${this.#words(context)}${redirection}`;
    }
  }

  #json(): string {
    const random = this.#random;
    const item = () => ({
      content: random.pick([
        'Build',
        "Don't stop",
        'Say "hi"',
        'Cost $5 `now`',
        'ü漢😀',
        'a\\b',
        'Test -h',
      ]),
      activeForm: random.pick(['Building', "Can't stop", 'x']),
      status: random.pick(STATUSES),
      ...(random.chance(0.1) && { id: '1' }),
      ...(random.chance(0.05) && { unknown: true }),
    });
    const items = random.list(0, 3, item);
    const text = JSON.stringify({ todos: items }, null, random.pick([0, 0, 2]));
    if (random.chance(0.8)) return text;
    return random.pick([
      '',
      'nope',
      '{}',
      '{"todos":[{}]}',
      '{"todos":[{"content":"x","activeForm":"","status":"done"}]}',
      text.slice(0, random.below(text.length)),
      JSON.stringify(items),
      `${text},`,
      '--help',
      '-h',
    ]);
  }

  #heredoc(command: string, text = random3Lines(this.#random)): string {
    const mark = `END${this.#heredocs.length}`;
    if (this.#random.chance(0.6)) {
      this.#heredocs.push(`${text}\n${mark}\n`);
      return `${command} <<'${mark}'${this.#redirection()}`;
    }
    if (this.#random.chance(0.3)) {
      this.#heredocs.push(`${text.replace(/^/gm, '\t').replace(/[\\$`]/g, '\\$&')}\n\t${mark}\n`);
      return `${command} <<-${mark}${this.#redirection()}`;
    }
    this.#heredocs.push(`${text.replace(/[\\$`]/g, '\\$&')}\n${mark}\n`);
    return `${command} <<${mark}${this.#redirection()}`;
  }

  #redirection(): string {
    if (this.#random.chance(0.7)) return '';
    const file = this.#file();
    return this.#random.pick([
      ` > ${file}`,
      ` >> ${file}`,
      ` 2> ${file}`,
      ' 2>&1',
      ' >&2',
      ` &> ${file}`,
      ` > ${file} 2>&1`,
      ' 3>&1 >&2 2>&3',
    ]);
  }

  #file(): string {
    return quoted(this.#random.pick(FILES));
  }

  #words(context: Context): string {
    return this.#random.list(0, 3, () => this.#word(context)).join(' ');
  }

  /** Remains one word in any expansion. */
  #quotedWord(context: Context): string {
    const variable = this.#random.pick(VARIABLES);
    switch (this.#random.below(6)) {
      case 0:
        return `"$${variable}"`;
      case 1:
        return `"\${${variable}${this.#operator()}}"`;
      case 2:
        return `"$((${this.#arithmetic()}))"`;
      case 3:
        return context.depth > 0
          ? `"$(${this.#withoutHeredocs(() => this.#simple({ ...context, depth: 0 }))}\n)"`
          : `"$(echo ${quoted(this.#random.pick(WORDS))})"`;
      case 4:
        return doubleQuoted(this.#random.pick(WORDS));
      default:
        return quoted(this.#random.pick(WORDS));
    }
  }

  #word(context: Context): string {
    const variable = this.#random.pick(VARIABLES);
    switch (this.#random.below(14)) {
      case 0:
        return `$${variable}`;
      case 1:
        return `\${${variable}${this.#operator()}}`;
      case 2:
        return `$((${this.#arithmetic()}))`;
      case 3:
        return this.#random.pick(['"$@"', '$*', '$#', '$?', '"$*"', '$1']);
      case 4:
        return this.#random.pick(['*', 'f?', '[a-f]*', 'none*', '{a,b}c', '{1..3}', 'a{,b}']);
      case 5:
        return `\`echo ${this.#random.pick(['one', '"two  words"', '$v'])}\``;
      case 6:
        return `${this.#quotedWord(context)}${this.#random.pick(['x', '""', "'y z'"])}`;
      case 7:
        return `$'${this.#random.pick(['a\\tb', 'it\\x27s', '\\u00fc', '\\n'])}'`;
      case 8:
        return this.#random.pick(['\\$v', 'a\\ b', '\\*', '\\\\', 'plain', 'k=v', '--flag', '1']);
      default:
        return this.#quotedWord(context);
    }
  }

  #operator(): string {
    return this.#random.pick([
      ...['', ':-none', '-none', ':+some', '#*a', '##* ', '%b*', '%% *', '/a/b', '//[a-z]/.'],
      ...['^^', ',,', ':0:2', ': -1', '@Q'],
    ]);
  }

  #arithmetic(): string {
    return this.#random.pick([
      ...['1 + 2', '3 * 4', '7 / 2', '2 ** 5', 'n', 'n++', '1 < 2 ? 10 : 20', '${#v}', '0x1f'],
      ...['-5 % 3', '1 << 4'],
    ]);
  }
}

function random3Lines(random: Random): string {
  return random.list(0, 3, () => random.pick(WORDS)).join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function doubleQuoted(text: string): string {
  return `"${text.replace(/[\\"$`]/g, '\\$&')}"`;
}
