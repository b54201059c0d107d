import { expect, it } from 'vitest';
import { allowanceOf } from '../../../lib/service/daily-allowance.ts';

const unused = async (): Promise<never> => {
  throw new Error('Nothing is counted without a limit');
};

it('reads today’s use of the limits that there are, and nothing for the others', async () => {
  const nowMs = Date.UTC(2026, 10, 30, 23, 59, 59, 999);
  const asked: number[] = [];
  const used = async (atMs: number) => {
    asked.push(atMs);
    return 12;
  };
  expect(await allowanceOf({ projects: 0 }, { projects: used, automaticCharacters: unused }, nowMs)).toEqual({
    projectsADay: 0,
    projectsToday: 12,
    automaticCharactersADay: null,
    automaticCharactersToday: null,
    nextDayAtUtc: '2026-12-01T00:00:00.000Z',
  });
  expect(asked).toEqual([nowMs]);
});

it('gives a whole day at its first millisecond', async () => {
  const { nextDayAtUtc } = await allowanceOf(
    {},
    { projects: unused, automaticCharacters: unused },
    Date.UTC(2028, 1, 28),
  );
  expect(nextDayAtUtc).toBe('2028-02-29T00:00:00.000Z');
});
