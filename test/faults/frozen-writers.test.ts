import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { SWEEP_MARKERS } from '../../lib/storage/dynamodb/sweep-markers.ts';
import { MUCH_WORK_MS } from '../support/much-work.ts';
import type { JsonObject } from '../support/projects.ts';
import { AwsWorld, awsInMemory } from './aws-world.ts';
import { straight, type Through } from './faulty.ts';
import { endingOf } from './world.ts';

const world = new AwsWorld(awsInMemory());
afterAll(() => world.close());

/** Longer than a mark waits for its transaction. */
const FROZEN_MS = 21 * 60_000;
/** More than a table takes, whatever gzip does to it. */
const LARGE: JsonObject = { segments: [{ content: randomBytes(400_000).toString('base64') }] };

/** Creates a large project in a process that is frozen before one of its calls, while others sweep. */
async function createFrozen(frozenAt: number, isKilled: boolean) {
  const companyId = world.newCompany();
  const sweeper = world.process(straight);
  const killed = Promise.withResolvers<void>();
  let calls = 0;
  const through: Through = async (call) => {
    if (++calls !== frozenAt) return call();
    world.nowMs += FROZEN_MS;
    await sweeper.sweep();
    const answer = await call();
    if (!isKilled) return answer;
    killed.resolve();
    return new Promise(() => {});
  };
  const { service } = world.process(through);
  const project = world.project(LARGE);
  const ending = endingOf(() => service.create(project, world.call(companyId, 'key')));
  await Promise.race([killed.promise, ending]);
  return { companyId, calls };
}

/** The projects of a company, and what the bucket has of it. */
async function leftOf(companyId: string) {
  const { items } = await world.storage.list(`company/${companyId}`, { prefix: 'project/', limit: 9, maxBytes: 1e6 });
  const payloads = await world.payloads(companyId);
  return { projects: items.map(({ sort }) => sort), payloads: payloads.map(({ id }) => id) };
}

describe('a process that creates a large project and is frozen before one of its calls', () => {
  it.each([
    ['goes on', false],
    ['is killed after that call', true],
  ])(
    'and then %s leaves no object that no project names',
    async (_, isKilled) => {
      const { calls } = await createFrozen(0, false);
      expect(calls).toBeGreaterThan(3);
      let orphans = 0;
      for (let frozenAt = 1; frozenAt <= calls; frozenAt++) {
        const { companyId } = await createFrozen(frozenAt, isKilled);
        const before = await leftOf(companyId);
        if (before.payloads.length > before.projects.length) orphans++;
        await world.sweep();
        const { projects, payloads } = await leftOf(companyId);
        expect({ frozenAt, payloads }).toEqual({ frozenAt, payloads: projects });
        expect(await world.pending(companyId)).toEqual([]);
      }
      expect(orphans).toBeGreaterThan(0);
      expect((await world.storage.list(SWEEP_MARKERS, { prefix: '', limit: 9, maxBytes: 1e6 })).items).toEqual([]);
    },
    MUCH_WORK_MS,
  );
});
