import fc from 'fast-check';
import { expect, it } from 'vitest';
import { checkProject } from '../../../lib/contract/check-project.ts';
import { utc } from '../../../lib/contract/date.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { fingerprintOfRequest, isEqualRequest, requestDigest } from '../../../lib/upstream/request-digest.ts';
import { project } from '../../support/arbitraries.ts';
import { asObject, type Json, type JsonObject, smallProject } from '../../support/projects.ts';
import { START_MS } from './world.ts';

/** Returns the value with the keys of all its objects in another order. */
function turned(value: Json): Json {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, turned(member)]),
  );
}

const DATES = { startDateUtc: utc(START_MS), endDateUtc: '2059-01-01T00:00:00Z' };
const CLOCK = { nowMs: START_MS, toleranceMs: LIMITS.startDateToleranceMs };
const fingerprintOf = (body: JsonObject) => fingerprintOfRequest(checkProject({ ...DATES, ...body }, CLOCK));
const fields = () => project().map(({ startDateUtc: _, endDateUtc: __, ...others }) => others);

it('a request is equal to itself, whatever the order of its keys and its start date', async () => {
  await fc.assert(
    fc.asyncProperty(fields(), fc.string(), async (sent, salt) => {
      const kept = requestDigest(await fingerprintOf(sent), salt);
      const again = { ...asObject(turned(sent)), startDateUtc: '2026-11-20T12:03:04Z' };
      expect(isEqualRequest(kept, await fingerprintOf(again))).toBe(true);
    }),
    { numRuns: 50 },
  );
});

it('a request differs from another one, and from one with a longer text', async () => {
  await fc.assert(
    fc.asyncProperty(fields(), fc.string(), fc.nat(), async (sent, salt, at) => {
      const kept = requestDigest(await fingerprintOf(sent), salt);
      const segments = Array.isArray(sent['segments']) ? sent['segments'].map(asObject) : [];
      const longer = segments.map((each, index) =>
        index === at % segments.length ? { ...each, content: `${each['content']}.` } : each,
      );
      for (const change of [
        { segments: longer },
        { name: sent['name'] === 'A' ? 'B' : 'A' },
        { endDateUtc: '2058-01-01T00:00:00Z' },
      ])
        expect(isEqualRequest(kept, await fingerprintOf({ ...sent, ...change }))).toBe(false);
    }),
    { numRuns: 50 },
  );
});

it('nothing is equal to a project without a digest, and equal requests have different digests', async () => {
  const fingerprint = await fingerprintOf(smallProject(DATES));
  expect(isEqualRequest(undefined, fingerprint)).toBe(false);
  expect(requestDigest(fingerprint, 'a').digest).not.toBe(requestDigest(fingerprint, 'b').digest);
});
