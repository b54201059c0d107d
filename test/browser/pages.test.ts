import { describe, expect, it } from 'vitest';
import { lighthouse } from './lighthouse.ts';
import { isTooWide, SCREENS, seriousFindings, startWorld } from './world.ts';

const world = await startWorld();
const { gateway } = world;

describe.each(['/problems', '/problems/invalid-project'])('%s', (path) => {
  it.each(SCREENS)('is usable at $width pixels in $theme', async (screen) => {
    const { page, foreign, errors, picture } = await world.open(path, screen);
    await picture(path.slice(1).replaceAll('/', '-'));
    expect(await isTooWide(page)).toBe(false);
    expect(await seriousFindings(page)).toEqual([]);
    expect({ foreign, errors }).toEqual({ foreign: [], errors: [] });
  });

  it('passes the rules of Lighthouse', async () => {
    const scores = await lighthouse(`${gateway.url}${path}`);
    expect(scores).toEqual({ accessibility: 100, bestPractices: 100, failed: [] });
  });
});

it('the index of problems leads to a page and back, with the keyboard alone', async () => {
  const { page } = await world.open('/problems');
  await page.getByRole('link', { name: 'The project is invalid' }).focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/problems\/invalid-project$/);
  await page.getByRole('link', { name: 'All problem types' }).focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/problems$/);
});
