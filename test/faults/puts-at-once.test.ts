import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { readOutboxRecord } from '../../lib/records/feed-record.ts';
import type { PutResult } from '../../lib/service/put.ts';
import { asObjects, type JsonObject } from '../support/projects.ts';
import { contentOf } from '../support/world.ts';
import { throughout } from './faulty.ts';
import { SqliteWorld } from './sqlite-world.ts';
import { type Ending, endingOf } from './world.ts';

const PUTS = 20;
const RUNS = 5;
const ref = { customId: 'ours' };

const world = new SqliteWorld();
afterAll(() => world.close());

/** A segment that all puts have, one that they change, and some that only one has. */
function segmentsOf(n: number): JsonObject[] {
  const own = Array.from({ length: n % 4 }, (_, index) => ({ content: `own ${n} ${index}` }));
  return [...own, { customId: 'same', content: 'same' }, { customId: 'changed', content: `changed ${n}` }];
}

const contentsIn = (segments: readonly JsonObject[]) => segments.map(({ content }) => content);

/** Sends puts at once, each to a process of its own. A scheduler decides whose call runs next. */
async function putAtOnce(
  companyId: string,
  scheduler: fc.Scheduler,
  puts: readonly { readonly segments: JsonObject[]; readonly key?: string }[],
): Promise<Ending<PutResult>[]> {
  const storage = throughout(world.storage, (work) => scheduler.schedule(Promise.resolve()).then(work));
  const running = puts.map(({ segments, key }) => {
    const project = world.checked({ segments });
    const service = world.service(storage);
    return endingOf((replayed) => service.put({ ref, project }, world.callOf(companyId, key, replayed)));
  });
  return scheduler.waitFor(Promise.all(running));
}

async function contentNow(companyId: string): Promise<unknown[]> {
  const project = contentOf(await world.service().get(ref, undefined, world.callOf(companyId)));
  return contentsIn(asObjects(project['segments']));
}

/** Returns how many events of a kind the company has. Its events have no gap in their numbers. */
async function eventsOf(companyId: string, type: string): Promise<number> {
  const range = { prefix: 'outbox/', limit: 1_000, maxBytes: 10_000_000 };
  const { items } = await world.storage.list(`company/${companyId}/events`, range);
  const events = items
    .map(({ data }) => readOutboxRecord(data).event)
    .sort((one, other) => one.sequence - other.sequence);
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, n) => n + 1));
  return events.filter((event) => event.type === type).length;
}

describe.each([false, true])('puts at once of one project, which exists before: %s', (exists) => {
  /** Runs a test of a new company in several orders of the calls. */
  const inAnyOrder = (test: (companyId: string, scheduler: fc.Scheduler) => Promise<void>) =>
    fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const companyId = world.newCompany();
        if (exists) await world.service().put({ ref, project: world.checked({}) }, world.callOf(companyId));
        await test(companyId, scheduler);
      }),
      { numRuns: RUNS },
    );

  it(`have one effect if all ${PUTS} have one key`, () =>
    inAnyOrder(async (companyId, scheduler) => {
      const segments = segmentsOf(3);
      const puts = Array.from({ length: PUTS }, () => ({ segments, key: 'k' }));
      const endings = await putAtOnce(companyId, scheduler, puts);
      expect(endings.filter(({ is }) => is === 'done')).toHaveLength(1);
      expect(endings.filter(({ is }) => is === 'refused')).toEqual([]);
      expect(await contentNow(companyId)).toEqual(contentsIn(segments));
      expect(await eventsOf(companyId, exists ? 'project.updated' : 'project.created')).toBe(1);
    }));

  it(`leave the whole content of one of ${PUTS} that differ`, () =>
    inAnyOrder(async (companyId, scheduler) => {
      const puts = Array.from({ length: PUTS }, (_, n) => ({ segments: segmentsOf(n) }));
      const endings = await putAtOnce(companyId, scheduler, puts);
      const refused = endings.flatMap((ending) => (ending.is === 'refused' ? [ending.problem.name] : []));
      expect(refused.filter((name) => name !== 'unavailable')).toEqual([]);
      expect(refused.length).toBeLessThan(PUTS);
      expect(puts.map(({ segments }) => contentsIn(segments))).toContainEqual(await contentNow(companyId));
      expect(await eventsOf(companyId, 'project.created')).toBe(1);
      expect(await eventsOf(companyId, 'project.updated')).toBe(PUTS - refused.length - (exists ? 0 : 1));
    }));
});
