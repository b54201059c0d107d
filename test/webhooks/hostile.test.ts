import { afterAll, expect, it } from 'vitest';
import { MAPPING_LIMITS } from '../../lib/webhooks/mapping/limits.ts';
import { mapper } from '../../lib/webhooks/mapping/mapper.ts';
import { MUCH_WORK_MS } from '../support/much-work.ts';
import { ENDLESS } from './mapping/hostile.ts';
import { creation, DeliveryWorld } from './world.ts';

const ours = mapper({ limits: { ...MAPPING_LIMITS, timeMs: 1_000 } });
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
    expect(await world.run({ mapper: ours })).toMatchObject({ done: pages.length, dead: hostile.length, left: 0 });
    expect(await world.made()).toEqual(pages);
    for (const { failure } of await world.dead()) expect(failure.problem).toBe('mapping-failed');
  },
  MUCH_WORK_MS,
);
