import { describe, expect, it } from 'vitest';
import { lighthouse } from './lighthouse.ts';
import { isTooWide, SCREENS, seriousFindings, startWorld } from './world.ts';

const world = await startWorld();

it('/docs stays on this machine', async () => {
  const { foreign, errors } = await world.open('/docs');
  expect({ foreign, errors }).toEqual({ foreign: [], errors: [] });
});

describe('/problems/invalid-project', () => {
  const path = '/problems/invalid-project';

  it.each(SCREENS)('is usable at $width pixels in $theme', async (screen) => {
    const { page, foreign, errors, picture } = await world.open(path, screen);
    await picture('problem');
    expect(await isTooWide(page)).toBe(false);
    expect(await seriousFindings(page)).toEqual([]);
    expect({ foreign, errors }).toEqual({ foreign: [], errors: [] });
  });

  it('passes the rules of Lighthouse', async () => {
    const scores = await lighthouse(`${world.gateway.url}${path}`);
    expect(scores).toEqual({ accessibility: 100, bestPractices: 100, failed: [] });
  });
});
