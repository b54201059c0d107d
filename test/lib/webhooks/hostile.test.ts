import { afterAll, expect, it } from 'vitest';
import { MAPPING_LIMITS } from '../../../lib/webhooks/mapping/limits.ts';
import { mapper } from '../../../lib/webhooks/mapping/mapper.ts';
import { MAX_OVER_LIMIT } from '../../../lib/webhooks/retry-policy.ts';
import { MUCH_WORK_MS } from '../../support/much-work.ts';
import { ENDLESS } from './mapping/hostile.ts';
import { creation, DeliveryWorld, MINUTE_MS } from './world.ts';

const ours = mapper({ limits: { ...MAPPING_LIMITS, timeMs: 500 } });
afterAll(() => ours.close());

it(
  'messages whose mappings would never end are dead letters, while those of others are done',
  async () => {
    const world = new DeliveryWorld();
    const hostile = Object.values(ENDLESS);
    for (const [n, mapping] of hostile.entries()) {
      const source = `hostile-${n}`;
      world.sources.set(source, { name: source, companyId: 'acme', mapping });
      await world.inbox.accept(world.message('{}', { id: source, source }));
      await world.inbox.accept(world.message(creation({ customId: `page ${n}` }), { id: `good ${n}` }));
    }
    const pages = hostile.map((_, n) => `page ${n}`).sort();
    expect(await world.run({ mapper: ours })).toMatchObject({ done: pages.length, left: 0 });
    for (let attempt = 1; attempt < MAX_OVER_LIMIT; attempt++) {
      world.nowMs += MINUTE_MS;
      await world.run({ mapper: ours });
    }
    expect(await world.dead()).toHaveLength(hostile.length);
    expect(await world.made()).toEqual(pages);
    for (const { failure } of await world.dead()) expect(failure.problem).toBe('mapping-failed');
  },
  MUCH_WORK_MS,
);
