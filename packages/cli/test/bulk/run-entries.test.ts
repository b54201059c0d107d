import { describe, expect, it } from 'vitest';
import { Problem } from '../../../../lib/contract/problem.ts';
import type { Entry } from '../../../../lib/workflow/bulk/manifest.ts';
import type { LineResult } from '../../../../lib/workflow/bulk/run-line.ts';
import { TaskFailure } from '../../../../lib/workflow/task-handler.ts';
import { type RunOptions, runEntries } from '../../bulk/run-locally.ts';

async function* entries(count: number): AsyncGenerator<Entry> {
  for (let entry = 1; entry <= count; entry++) yield { entry, line: entry, offset: 0, bytes: 0, occurrence: 1 };
}

const good = ({ entry, line }: Entry): LineResult => {
  return { entry, line, outcome: 'already-absent', scope: 'project', replayed: false };
};
const failure = (type: 'unavailable' | 'outcome-unknown') =>
  new TaskFailure(new Problem(type, { detail: 'Why.' }), 'request');

/** Runs a number of entries, with pauses that take no time. */
async function run(count: number, options: Partial<RunOptions> = {}) {
  const results: LineResult[] = [];
  const slept: number[] = [];
  const end = await runEntries(entries(count), {
    runLine: async (entry) => good(entry),
    onResult: async (result) => void results.push(result),
    concurrency: 3,
    maxFailed: Number.POSITIVE_INFINITY,
    stop: new AbortController().signal,
    sleep: async (ms) => {
      slept.push(ms);
    },
    random: () => 0.5,
    ...options,
  });
  return { end, lines: results.map(({ line }) => line).sort((one, other) => one - other), results, slept };
}

/** Returns a function that fails a number of times for each entry, and then succeeds. */
function failing(times: number, type: 'unavailable' | 'outcome-unknown') {
  const left = new Map<number, number>();
  return async (entry: Entry) => {
    const still = left.get(entry.entry) ?? times;
    left.set(entry.entry, still - 1);
    if (still > 0) throw failure(type);
    return good(entry);
  };
}

describe('a run', () => {
  it('runs every entry once, and no more at once than its concurrency', async () => {
    let now = 0;
    let most = 0;
    const runLine = async (entry: Entry) => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
      return good(entry);
    };
    const { end, lines } = await run(50, { runLine, concurrency: 4 });
    expect({ end, most }).toEqual({ end: 'all-done', most: 4 });
    expect(lines).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  });

  it.each(['unavailable', 'outcome-unknown'] as const)('retries a line that ended in %s', async (type) => {
    const { end, results, slept } = await run(5, { runLine: failing(3, type) });
    expect(end).toBe('all-done');
    expect(results.every(({ outcome }) => outcome === 'already-absent')).toBe(true);
    expect(slept).toHaveLength(15);
  });

  it('fails a line after the last attempt, by the name of its last failure', async () => {
    const { end, results } = await run(2, { runLine: () => Promise.reject(failure('unavailable')) });
    expect(end).toBe('all-done');
    const failed = {
      outcome: 'failed',
      failure: 'Segue.Retryable.unavailable',
      cause: expect.stringContaining('Why.'),
    };
    expect(results).toMatchObject([failed, failed]);
  });
});

it('a stop starts no retry', async () => {
  const stop = new AbortController();
  const sleep = async () => stop.abort();
  const { end, lines } = await run(9, { runLine: failing(9, 'unavailable'), stop: stop.signal, sleep });
  expect({ end, lines }).toEqual({ end: 'stopped', lines: [] });
});

it('an unexpected error ends the run after all started lines have ended', async () => {
  let ended = 0;
  const runLine = async (entry: Entry) => {
    if (entry.entry === 2) throw new TypeError('On purpose');
    await new Promise((resolve) => setImmediate(resolve));
    ended++;
    return good(entry);
  };
  await expect(run(100, { runLine })).rejects.toThrow('On purpose');
  expect(ended).toBe(2);
});
