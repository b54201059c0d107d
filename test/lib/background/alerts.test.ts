import { describe, expect, it } from 'vitest';
import { reportOf } from '../../../lib/background/delivery-handler.ts';
import { alertIfLate } from '../../../lib/background/stream.ts';
import type { LogLine } from '../../../lib/service/log.ts';

const MINUTE_MS = 60_000;
const NOW_MS = 1_000 * MINUTE_MS;
const KEY = { partition: { S: 'one' }, sort: { S: 'two' } };

/** Calls a function with stream records of some ages. @returns its answer, and the log lines */
async function callWith(agesMs: readonly (number | undefined)[], run = async () => 'done') {
  const lines: LogLine[] = [];
  const options = { now: () => NOW_MS, log: (line: LogLine) => void lines.push(line) };
  const Records = agesMs.map((ageMs) => ({
    eventName: 'INSERT',
    dynamodb: {
      SequenceNumber: '1',
      Keys: KEY,
      ...(ageMs !== undefined && { ApproximateCreationDateTime: (NOW_MS - ageMs) / 1_000 }),
    },
  }));
  const context = { awsRequestId: 'call' };
  const answer = await alertIfLate('deliveries', 'stream-late', run, options)({ Records }, context).catch(String);
  return { answer, lines };
}

describe('a stream', () => {
  const alert = { operation: 'deliveries', requestId: 'call', alert: 'stream-late', durationMs: 0 };

  it('is late if its last record has waited for ten minutes', async () => {
    expect(await callWith([20 * MINUTE_MS, 10 * MINUTE_MS])).toEqual({
      answer: 'done',
      lines: [{ ...alert, lagMs: 10 * MINUTE_MS }],
    });
    expect(await callWith([20 * MINUTE_MS, 10 * MINUTE_MS - 1])).toEqual({ answer: 'done', lines: [] });
  });

  it('is late also if the function fails', async () => {
    const late = await callWith([11 * MINUTE_MS], () => Promise.reject(new Error('No.')));
    expect(late).toEqual({ answer: 'Error: No.', lines: [{ ...alert, lagMs: 11 * MINUTE_MS }] });
  });

  it.each([[[]], [[undefined]]])('is not late without a time (%j)', async (agesMs) => {
    expect(await callWith(agesMs)).toEqual({ answer: 'done', lines: [] });
  });
});

describe('a run over due work', () => {
  const counts = { done: 1, postponed: 2, dead: 3, left: 4, oldestMs: 0, letters: 0 };
  const alerts = { waiting: 'events-waiting', letters: 'failed-events' } as const;

  it('reports its counts, and no alert while nothing waits long', () => {
    expect(reportOf({ ...counts, oldestMs: 10 * MINUTE_MS - 1 }, alerts)).toEqual({
      counts: { ...counts, oldestMs: 10 * MINUTE_MS - 1 },
      alerts: [],
    });
  });

  it('alerts of work that has waited for ten minutes, and of a dead letter for ten minutes', () => {
    const late = { ...counts, oldestMs: 10 * MINUTE_MS, letters: 1 };
    expect(reportOf({ ...late, newestLetterMs: 10 * MINUTE_MS - 1 }, alerts).alerts).toEqual([
      'events-waiting',
      'failed-events',
    ]);
    expect(reportOf({ ...late, newestLetterMs: 10 * MINUTE_MS }, alerts).alerts).toEqual(['events-waiting']);
    expect(reportOf({ ...late, newestLetterMs: 0 }, { waiting: 'jobs-waiting' }).alerts).toEqual(['jobs-waiting']);
  });
});
