import { describe, expect, it } from 'vitest';
import { checkSimulations, firstFound, OPERATIONS } from './check.ts';
import { simulate } from './run.ts';
import { HOSTED } from './subjects.ts';
import { WRONG } from './wrong-subjects.ts';

async function traceOf(seed: number): Promise<string> {
  const lines: string[] = [];
  const { violations } = await simulate(HOSTED, seed, OPERATIONS, (line) => lines.push(line));
  return [...lines, ...violations].join('\n');
}

describe('a simulation', () => {
  it('is the same with the same seed, to the byte', async () => {
    const trace = await traceOf(3);
    expect(await traceOf(3)).toBe(trace);
    expect(await traceOf(4)).not.toBe(trace);
    expect(trace.split('\n').length).toBeGreaterThan(OPERATIONS * 5);
  });

  it('kills processes, and lets them stand still', async () => {
    const traces = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(traceOf));
    for (const what of [/ killed$/m, / frozen$/m]) expect(traces.join('\n')).toMatch(what);
  });

  it.each(Object.entries(WRONG))('finds a service that %s', async (_, { subject, found }) => {
    const simulation = await firstFound(subject, 20);
    expect(simulation?.violations.join('\n')).toMatch(found);
  });

  it('finds nothing wrong with the hosted service: 30 seeds', async () => {
    const results = await checkSimulations(HOSTED, 30);
    expect(results).toMatchObject({ 'create: project': expect.any(Number), 'delete: receipt': expect.any(Number) });
  });
});
