import { describe, expect, it } from 'vitest';
import { projectsToday } from '../../../lib/records/daily-projects.ts';
import type { CallContext } from '../../../lib/service/port.ts';
import { problemOf } from '../support.ts';
import { checked, HostedUpstream, lost, refuses, START_MS, swallowed } from './world.ts';

/** Segue in front of an account, for a company that may create so many projects a day. */
function limited(projectsADay: number) {
  const upstream = new HostedUpstream();
  const { world } = upstream;
  const segue = upstream.segue();
  let requests = 0;
  const call = (fields: Partial<CallContext> = {}) =>
    world.call({ projectsADay, requestId: `request-${++requests}`, ...fields });
  return {
    upstream,
    world,
    create: (fields: Partial<CallContext> = {}) => segue.create(checked(), call(fields)),
    keyed: (key: string) => ({ idempotency: { key, replayed: () => {} } }),
    today: () => projectsToday(world.storage, world.companyId, world.nowMs),
  };
}

describe('the projects of a day in front of another service', () => {
  it('are never more than the limit at once, and no fewer', async () => {
    const { upstream, create, today } = limited(5);
    const ends = await Promise.allSettled(Array.from({ length: 9 }, () => create()));
    const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    expect(refused).toHaveLength(4);
    for (const problem of refused) {
      const retryAfterSeconds = Math.ceil((Date.UTC(2026, 10, 21) - START_MS) / 1_000);
      expect(problem).toMatchObject({ name: 'quota-exceeded', occurrence: { retryAfterSeconds } });
    }
    expect(await upstream.heads()).toHaveLength(5);
    expect(await today()).toBe(5);
  });

  it('count a request once, however often it is sent', async () => {
    const { upstream, create, keyed, today } = limited(1);
    upstream.next('create', lost);
    upstream.next('find', swallowed, swallowed, swallowed);
    await create(keyed('k')).catch(() => {});
    await upstream.world.sleep(120_000);
    const { id } = await create(keyed('k'));
    expect((await create(keyed('k'))).id).toBe(id);
    expect(await today()).toBe(1);
    expect((await problemOf(create(keyed('other')))).name).toBe('quota-exceeded');
    expect(await upstream.heads()).toHaveLength(1);
  });

  it('do not count a creation that the service refuses', async () => {
    const { upstream, create, today } = limited(1);
    for (let n = 0; n < 3; n++) {
      upstream.next('create', refuses(422, 'invalid'));
      expect((await problemOf(create())).name).toBe('upstream-refused');
      expect(await today()).toBe(0);
    }
    await create();
    expect(await today()).toBe(1);
    expect((await problemOf(create())).name).toBe('quota-exceeded');
    expect(await upstream.heads()).toHaveLength(1);
  });

  it('are shown with their limit; no characters are, because the service translates by its own rules', async () => {
    const { upstream, world, create } = limited(5);
    await create();
    const segue = upstream.segue({ limitsOf: async () => ({ projects: 5, automaticCharacters: 9 }) });
    expect(await segue.dailyAllowance(world.call())).toEqual({
      projectsADay: 5,
      projectsToday: 1,
      automaticCharactersADay: null,
      automaticCharactersToday: null,
      nextDayAtUtc: '2026-11-21T00:00:00.000Z',
    });
  });

  it('are not counted without a limit', async () => {
    const upstream = new HostedUpstream();
    await upstream.segue().create(checked(), upstream.world.call());
    expect(JSON.stringify(upstream.world.storage.all())).not.toContain('projects-a-day');
  });
});
