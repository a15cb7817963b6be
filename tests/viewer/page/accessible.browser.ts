import axe, { type AxeResults } from 'axe-core';
import { describe, expect, test } from 'vitest';
import { busyPage, picture } from './pages.ts';

describe.each(['light', 'dark'] as const)('in a %s page', (colorScheme) => {
  test.each([
    ['1280 pixels', { viewport: { width: 1280, height: 800 } }],
    ['375 pixels', { viewport: { width: 375, height: 800 } }],
    ['1280 pixels, zoomed', { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }],
  ])('of %s axe finds nothing, and nothing is too wide, or moves', async (name, size) => {
    const page = await busyPage({ colorScheme, ...size, reducedMotion: 'reduce' });
    expect(await page.getByRole('article', { name: /^List of/ }).count()).toBe(10);
    await page.getByText('· blocked by #1').waitFor();
    await picture(page, `busy-${colorScheme}-${name.replaceAll(/\W+/g, '-')}`);
    await page.evaluate(axe.source);
    const check = async () => {
      const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
      const isTooWide = 'document.documentElement.scrollWidth > innerWidth';
      expect(await page.evaluate(isTooWide)).toBe(false);
    };
    await check();
    const durations = await page
      .locator('*')
      .evaluateAll((all) => all.map((one) => getComputedStyle(one).transitionDuration));
    expect(new Set(durations)).toEqual(new Set(['0s']));
    const folded = page.locator('[aria-expanded=false]');
    while ((await folded.count()) > 0) await folded.first().click();
    await page.locator('dl.details').nth(1).waitFor();
    await page.locator('.history').nth(9).waitFor();
    await check();
  });
});
