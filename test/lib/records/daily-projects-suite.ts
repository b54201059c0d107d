import { describe, expect, it } from 'vitest';
import { projectsToday } from '../../../lib/records/daily-projects.ts';
import type { CallContext } from '../../../lib/service/port.ts';
import type { Storage } from '../../../lib/storage/port.ts';
import { hosted } from '../../support/world.ts';
import { callContext, checked, NOW_MS, problemOf } from '../support.ts';

const DAY_MS = 86_400_000;
/** Returns a call of a company with a limit. Its time does not pass, because many calls wait for each other. */
function limited(projectsADay: number | undefined, n: number, fields: Partial<CallContext> = {}): CallContext {
  return { ...callContext('acme', () => 20_000), requestId: `request-${n}`, projectsADay, ...fields };
}

/** Describes the limit of projects of the hosted service on a store. */
export function describeDailyProjects(name: string, open: () => Promise<Storage>): void {
  describe(`the projects of a day, on ${name}`, () => {
    it.each([
      [12, 20],
      [3, 12],
      [1, 6],
      [0, 2],
    ])('are never more than %i of %i at once, and no fewer', async (limit, sent) => {
      const storage = await open();
      const service = hosted({ storage });
      const ends = await Promise.allSettled(
        Array.from({ length: sent }, (_, n) => service.create(checked(), limited(limit, n))),
      );
      const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
      expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(Math.min(limit, sent));
      for (const problem of refused) {
        expect(problem).toMatchObject({ name: 'quota-exceeded', occurrence: { retryAfterSeconds: 52_200 } });
      }
      const { projects } = await service.list({ limit: 100 }, callContext());
      expect(projects).toHaveLength(Math.min(limit, sent));
      expect(await projectsToday(storage, 'acme', NOW_MS)).toBe(Math.min(limit, sent));
    });

    it('count a request once, however often it is sent, and a refused one not at all', async () => {
      const storage = await open();
      const service = hosted({ storage });
      const keyed = (n: number) => limited(2, n, { idempotency: { key: 'once', replayed: () => {} } });
      const [first, second] = await Promise.all([
        service.create(checked({ customId: 'a' }), keyed(1)),
        service.create(checked({ customId: 'a' }), keyed(2)),
      ]);
      expect(first.id).toBe(second.id);
      expect((await problemOf(service.create(checked({ customId: 'a' }), limited(2, 3)))).name).toBe(
        'custom-id-in-use',
      );
      expect(await projectsToday(storage, 'acme', NOW_MS)).toBe(1);
      await service.create(checked(), limited(2, 4));
      expect((await problemOf(service.create(checked(), limited(2, 5)))).name).toBe('quota-exceeded');
      // A retry creates nothing, so the limit does not refuse it.
      expect((await service.create(checked({ customId: 'a' }), keyed(6))).id).toBe(first.id);
      await service.validate(checked(), limited(2, 7));
    });

    it('begin anew at midnight (UTC), and count deleted projects until then', async () => {
      const storage = await open();
      let nowMs = NOW_MS;
      const service = hosted({ storage, now: () => nowMs, startDateToleranceMs: 2 * DAY_MS });
      const { id } = await service.create(checked(), limited(1, 1));
      await service.delete({ id }, { kind: 'project' }, callContext());
      nowMs = Date.UTC(2026, 10, 20, 23, 59, 59, 500);
      expect(await problemOf(service.create(checked(), limited(1, 2)))).toMatchObject({
        name: 'quota-exceeded',
        occurrence: { retryAfterSeconds: 1 },
      });
      nowMs = Date.UTC(2026, 10, 21);
      await service.create(checked(), limited(1, 3));
      expect(await projectsToday(storage, 'acme', nowMs)).toBe(1);
    });

    it('follow a changed limit', async () => {
      const service = hosted({ storage: await open() });
      let n = 0;
      const create = (limit: number | undefined) =>
        service.create(checked(), limited(limit, n++)).then(() => 'created');
      for (let created = 0; created < 10; created++) await create(10);
      for (const limit of [10, 9, 1, 0]) {
        expect((await problemOf(create(limit))).name).toBe('quota-exceeded');
      }
      expect([await create(11), await create(20), await create(undefined)]).toEqual(Array(3).fill('created'));
      expect((await problemOf(create(12))).name).toBe('quota-exceeded');
    });
  });
}
