import { $ } from 'kleur/colors';
import { expect, test } from 'vitest';
import { createTheme, hasColours, themeFor } from '../../../src/screen/panel/theme.ts';
import { answerFilter, backgroundOf } from '../../../src/screen/terminal/background.ts';

const terminal = { isTTY: true };
const file = {};

test.each([
  [terminal, { TERM: 'xterm' }, true],
  [file, { TERM: 'xterm' }, false],
  [terminal, { TERM: 'dumb' }, false],
  [terminal, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
  [terminal, { NO_COLOR: '' }, true],
  ...['0', 'false'].map((FORCE_COLOR) => [terminal, { FORCE_COLOR }, false] as const),
  ...['1', '3', 'true'].map((FORCE_COLOR) => [file, { FORCE_COLOR }, true] as const),
  [file, { FORCE_COLOR: '' }, false],
] as const)('on %j with %j there are colours: %s', (stream, env, areThere) => {
  expect(hasColours(stream, env)).toBe(areThere);
});

test('without colours bold, dim and struck through text stay, but not off a terminal', () => {
  const { paint } = themeFor(terminal, { NO_COLOR: '1', TERM: 'xterm' });
  expect(paint.inProgress('x')).toBe('\x1b[1mx\x1b[22m');
  expect(paint.completed('x')).toBe('\x1b[2m\x1b[9mx\x1b[29m\x1b[22m');
  expect(paint.done('x')).toBe('x');
  const environments = [{ TERM: 'dumb' }, { FORCE_COLOR: '0' }, { NO_COLOR: '1', TERM: 'dumb' }];
  for (const env of environments) expect(themeFor(terminal, env).paint.inProgress('x')).toBe('x');
  expect(themeFor(file, { NO_COLOR: '1' }).paint.inProgress('x')).toBe('x');
});

test.each([
  [{}, true],
  [{ LANG: 'de_DE.UTF-8' }, true],
  [{ LC_ALL: 'C.utf8', LANG: 'C' }, true],
  [{ LC_ALL: 'C', LANG: 'de_DE.UTF-8' }, false],
  [{ LC_CTYPE: 'POSIX' }, false],
  [{ LANG: 'en_US.ISO-8859-1' }, false],
  [{ LANG: 'en_US.UTF-8', TERM: 'linux' }, false],
])('with %j there is Unicode: %s', (env, isThere) => {
  expect(themeFor({}, env).unicode).toBe(isThere);
});

test.each([true, false])("kleur's own switch (%s) neither matters nor changes", (enabled) => {
  const before = $.enabled;
  $.enabled = enabled;
  try {
    expect(createTheme({ colours: true }).paint.inProgress('x')).toBe(
      '\x1b[35m\x1b[1mx\x1b[22m\x1b[39m',
    );
    expect(createTheme({ colours: false }).paint.inProgress('x')).toBe('x');
    expect($.enabled).toBe(enabled);
  } finally {
    $.enabled = before;
  }
});

test.each([
  ['15;0', 'dark'],
  ['0;15', 'light'],
  ['12;8', 'dark'],
  ['0;default;7', 'light'],
  ['0;default', undefined],
  ['', undefined],
])('COLORFGBG=%s says that the background is %s', (COLORFGBG, background) => {
  expect(backgroundOf({ COLORFGBG })).toBe(background);
  const theme = themeFor({ isTTY: true }, { COLORFGBG });
  const same = createTheme({ colours: true, background: background as 'dark' | undefined });
  expect(theme.paint.inProgress('x')).toBe(same.paint.inProgress('x'));
});

test.each([{}, { COLORFGBG: '15;0' }])(
  'with %j the active item has one colour, whether or not the terminal has answered; the selected row follows the answer',
  (env) => {
    const [silent, dark, light] = ([undefined, 'dark', 'light'] as const).map(
      (answer) => themeFor(terminal, env, answer).paint,
    );
    expect(dark?.inProgress('x')).toBe(silent?.inProgress('x'));
    expect(light?.inProgress('x')).toBe(silent?.inProgress('x'));
    expect(light?.chosen('x')).toContain('\x1b[38;5;233;48;5;254m');
    expect(dark?.chosen('x')).toContain('\x1b[38;5;255;48;5;236m');
  },
);

test.each([
  ['\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\', 'dark'],
  ['\x1b]11;rgb:7f7f/7f7f/7f7f\x1b\\', 'dark'],
  ['\x1b]11;rgb:8181/8181/8181\x1b\\', 'light'],
  ['\x1b]11;rgb:fd/f6/e3\x07', 'light'],
  ['\x1b]11;rgba:0000/2b2b/3636/ffff\x1b\\', 'dark'],
  ['\x1b]11;\x07', undefined],
])('the answer %j of a terminal is no key, and means %s', (answer, background) => {
  for (const at of Array.from(answer).keys()) {
    const heard: (string | undefined)[] = [];
    const filter = answerFilter((told) => heard.push(told));
    const pieces = [`j${answer.slice(0, at)}`, `${answer.slice(at)}k`];
    // An escape that stands alone is a key at once.
    expect(pieces.map(filter).join('').replace('\x1b', '')).toBe('jk');
    expect(heard).toEqual(background ? [background] : []);
  }
});

test('other keys pass as they are typed, an escape and what begins like an answer, too', () => {
  const filter = answerFilter(() => {});
  const keys = ['\x1b', 'j', '\x1b', ']', '\x1b]', 'k', '\x1b]11;', 'l', 'x'.repeat(50), '\x1b[A'];
  expect(keys.map(filter).join('')).toBe(keys.join(''));
});
