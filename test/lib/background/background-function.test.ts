import { expect, it } from 'vitest';
import { auditor } from '../../../lib/background/auditor.ts';
import { reconciler } from '../../../lib/background/reconciler.ts';
import type { LogLine } from '../../../lib/service/log.ts';
import { problemFrom } from '../../../lib/upstream/failures.ts';
import { unreadable } from '../../../lib/upstream/upstream-answer.ts';

/** Returns the options and context of a function, with a clock that can be set and a log that is kept. */
function world(timeoutMs: number) {
  const lines: LogLine[] = [];
  const clock = { ms: 0 };
  return {
    lines,
    clock,
    options: { now: () => clock.ms, log: (line: LogLine) => void lines.push(line) },
    context: { awsRequestId: 'run', getRemainingTimeInMillis: () => timeoutMs - clock.ms },
  };
}

it('stops the reconciler before its time is up, and logs its counts and an alert', async () => {
  const { lines, clock, options, context } = world(55_000);
  const begun: number[] = [];
  const handler = reconciler(async (isTimeLeft) => {
    for (; isTimeLeft(); clock.ms += 10_000) begun.push(clock.ms);
    return { settled: begun.length, givenUp: 1, left: 2, oldestMs: 9 };
  }, options);
  await handler({}, context);
  expect(begun).toEqual([0, 10_000, 20_000, 30_000]);
  const counts = { settled: 4, givenUp: 1, left: 2, oldestMs: 9 };
  const line = { operation: 'reconciler', requestId: 'run', durationMs: 40_000 };
  expect(lines).toEqual([
    { ...line, ...counts },
    { ...line, alert: 'operations-given-up' },
  ]);
});

it('logs the counts of the reconciler with its failure', async () => {
  const { lines, options, context } = world(55_000);
  const counts = { settled: 4, givenUp: 0, left: 2, oldestMs: 899_999 };
  await reconciler(async () => ({ ...counts, failure: new TypeError('Secret words') }), options)({}, context);
  expect(lines).toMatchObject([{ ...counts, problem: 'internal-error', cause: { name: 'TypeError' } }]);
  expect(JSON.stringify(lines)).not.toContain('Secret');
});

it('gives the audit the time of the function, and logs counts and an alert without ids', async () => {
  const { lines, clock, options, context } = world(900_000);
  const left: number[] = [];
  const handler = auditor(async ({ remainingMs }) => {
    left.push(remainingMs());
    clock.ms = 899_000;
    left.push(remainingMs());
    return { checked: 7, unowned: [{ projectId: 1 }, { projectId: 2 }], missing: [] };
  }, options);
  await handler({}, context);
  expect(left).toEqual([895_000, 0]);
  const counts = { checked: 7, unowned: 2, missing: 0 };
  const line = { operation: 'audit', requestId: 'run', durationMs: 899_000 };
  expect(lines).toEqual([
    { ...line, ...counts },
    { ...line, alert: 'strays' },
  ]);
});

it('logs an error and throws it, so that Lambda retries', async () => {
  const { lines, options, context } = world(55_000);
  const failure = problemFrom(unreadable('Unreadable.'));
  const fails = async () => Promise.reject(failure);
  for (const handler of [reconciler(fails, options), auditor(fails, options)]) {
    await expect(handler({}, context)).rejects.toBe(failure);
  }
  expect(lines).toMatchObject([
    { operation: 'reconciler', alert: 'run-failed', problem: 'upstream-invalid' },
    { operation: 'audit', alert: 'run-failed', problem: 'upstream-invalid' },
  ]);
});
