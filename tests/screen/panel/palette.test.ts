import { describe, expect, test } from 'vitest';
import {
  ACTIVE_COLOURS,
  CHOSEN_COLOURS,
  createTheme,
  FRESH_COLOURS,
  HIGH_COLOURS,
} from '../../../src/screen/panel/theme.ts';

// Contrast as WCAG 2 defines it. Text needs 4.5; 3 is its bound for bold text.

/** The backgrounds of five common terminals by default. */
const BACKGROUNDS = {
  'xterm, dark': '#000000',
  'xterm, light': '#ffffff',
  'GNOME Terminal, dark': '#171421',
  'GNOME Terminal, light': '#ffffff',
  'VS Code, dark': '#1e1e1e',
  'VS Code, light': '#ffffff',
  'Windows Terminal, Campbell': '#0c0c0c',
  'Windows Terminal, One Half Light': '#fafafa',
  'iTerm2, Solarized dark': '#002b36',
  'iTerm2, Solarized light': '#fdf6e3',
};

/** On every terminal, the colours from 16 to 231 are a cube of six steps, and those from 232 on greys. */
function colourOf(index: number): string {
  const levels = [0, 95, 135, 175, 215, 255];
  if (index >= 232) return `#${(8 + 10 * (index - 232)).toString(16).padStart(2, '0').repeat(3)}`;
  const place = index - 16;
  const steps = [Math.floor(place / 36), Math.floor(place / 6) % 6, place % 6];
  const hex = steps.map((step) => (levels[step] ?? 0).toString(16).padStart(2, '0'));
  return `#${hex.join('')}`;
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const value = Number.parseInt(colour.slice(start, start + 2), 16) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

test('where the background is unknown, the active item has a colour of the theme, which fits its background', () => {
  expect(createTheme({ colours: true }).paint.inProgress('x')).toMatch(/^\x1b\[35m/);
});

test.each([undefined, 'dark', 'light'] as const)(
  'a row whose status has changed keeps the colour of its status, with a contrast of at least 4.5, softly (%s)',
  (background) => {
    const { fresh } = createTheme({ colours: true, ...(background && { background }) });
    const { behind, ...colours } = FRESH_COLOURS[background ?? 'unknown'];
    expect(new Set(Object.values(colours)).size).toBe(3);
    for (const [status, colour] of Object.entries(colours)) {
      // Those below 16 are whatever the terminal's theme says.
      expect(colour).toBeGreaterThanOrEqual(16);
      expect(fresh[status as keyof typeof fresh]('x')).toContain(`38;5;${colour};48;5;${behind}m`);
      expect(contrast(colourOf(colour), colourOf(behind))).toBeGreaterThanOrEqual(4.5);
    }
    // A bar in reverse video has the contrast of text.
    const screen = { dark: '#000000', light: '#ffffff', unknown: '#000000' }[
      background ?? 'unknown'
    ];
    expect(contrast(colourOf(behind), screen)).toBeLessThan(3);
  },
);

describe.each(['dark', 'light'] as const)('where the terminal says that it is %s', (background) => {
  const { paint } = createTheme({ colours: true, background });

  test('the active item and a high priority have a contrast of at least 4.5 on every such palette', () => {
    const colour = ACTIVE_COLOURS[background];
    expect(paint.inProgress('x')).toContain(`38;5;${colour}m`);
    const such = Object.values(BACKGROUNDS).filter(
      (behind) => luminance(behind) > 0.5 === (background === 'light'),
    );
    expect(such).toHaveLength(5);
    for (const behind of such)
      expect(contrast(colourOf(HIGH_COLOURS[background]), behind)).toBeGreaterThanOrEqual(4.5);
    for (const behind of such)
      expect(contrast(colourOf(colour), behind)).toBeGreaterThanOrEqual(4.5);
  });

  test('so has the selected row, also with the active item', () => {
    const [text, behind] = CHOSEN_COLOURS[background];
    expect(paint.chosen('x')).toContain(`38;5;${text};48;5;${behind}m`);
    expect(contrast(colourOf(text), colourOf(behind))).toBeGreaterThanOrEqual(7);
    const active = colourOf(ACTIVE_COLOURS[background]);
    expect(contrast(active, colourOf(behind))).toBeGreaterThanOrEqual(4.5);
  });
});
