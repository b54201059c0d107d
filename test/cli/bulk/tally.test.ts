import { expect, it } from 'vitest';
import { Tally, type Told } from '../../../cli/bulk/tally.ts';

const failed = (entry: number, failure: string): Told => {
  return { entry, line: entry, outcome: 'failed', failure, cause: '' };
};

it('tells failures the most frequent first, and as many by name, whichever entry ended first', () => {
  const told = [failed(1, 'b'), failed(2, 'c'), failed(3, 'a'), failed(4, 'c')];
  for (const results of [told, told.toReversed()]) {
    const tally = new Tally();
    for (const result of results) tally.add(result);
    expect(tally.summary()).toBe('0 created, 0 deleted, 0 already done, 4 failed\nc  2\na  1\nb  1\n');
  }
});
