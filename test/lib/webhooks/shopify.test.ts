import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { checkSample } from '../../../lib/webhooks/check-sample.ts';
import { type MappingInput, mapper } from '../../../lib/webhooks/mapping/mapper.ts';
import { readText } from '../../../packages/cli/files.ts';
import { readSample } from '../../../packages/cli/sample.ts';
import { NOW_MS } from '../support.ts';
import { DeliveryWorld } from './world.ts';

const FOLDER = join(import.meta.dirname, '../../../examples/webhooks/shopify');
const mapping = await readText(join(FOLDER, 'products.jsonata'));
const created = await readSample(join(FOLDER, 'created.json'));
const deleted = await readSample(join(FOLDER, 'deleted.json'));
const product = z.looseObject({ title: z.string() }).parse(created.body);
/** Returns the command that the mapping makes from a message. */
const made = async (message: MappingInput) => (await checkSample(mapping, message, { nowMs: NOW_MS })).commands[0];
const ours = mapper();
afterAll(() => ours.close());

describe('the Shopify example', () => {
  it('puts a project for a product and its changes, and deletes it with the product for good', async () => {
    const world = new DeliveryWorld();
    world.sources.set('cms', { name: 'cms', companyId: 'acme', mapping });
    await world.inbox.accept(world.message(created.body, { headers: created.headers }));
    expect(await world.run({ mapper: ours })).toMatchObject({ done: 1, dead: 0 });
    expect(await world.made()).toEqual(['shopify/product/6133678309568']);
    const changed = { ...product, title: 'Raincoat', updated_at: '2026-11-21T09:00:00+00:00' };
    await world.inbox.accept(world.message(changed, { headers: created.headers }));
    await world.run({ mapper: ours });
    const late = { ...product, updated_at: '2026-11-20T10:00:00+00:00' };
    await world.inbox.accept(world.message(late, { headers: created.headers }));
    expect(await world.run({ mapper: ours })).toMatchObject({ done: 1, dead: 0 });
    expect(await world.names()).toEqual(['Raincoat']);
    await world.inbox.accept(world.message(deleted.body, { headers: deleted.headers }));
    expect(await world.run({ mapper: ours })).toMatchObject({ done: 1, dead: 0 });
    expect(await world.made()).toEqual([]);
    await world.inbox.accept(world.message({ ...changed, title: 'Late' }, { headers: created.headers }));
    expect(await world.run({ mapper: ours })).toMatchObject({ done: 1, dead: 0 });
    expect(await world.made()).toEqual([]);
  });

  it('translates each text of the product once', async () => {
    expect(await made(created)).toMatchObject({
      revision: Date.UTC(2026, 10, 20, 9, 29, 57),
      put: {
        name: 'Waxed raincoat',
        endDateUtc: new Date(NOW_MS + 14 * 86_400_000).toISOString(),
        segments: [
          { customId: 'title', content: 'Waxed raincoat' },
          { customId: 'body_html', content: expect.stringContaining('&amp; a hood.</p>') },
          { customId: 'product_type', content: 'Coats' },
          { content: 'Size' },
          { content: 'Small' },
          { content: 'Large' },
        ],
      },
    });
  });

  it('ignores a draft, whatever its topic', async () => {
    expect(await made({ ...created, body: { ...product, status: 'draft' } })).toBeUndefined();
    const headers = { ...created.headers, 'x-shopify-topic': 'products/delete' };
    expect(await made({ ...created, headers })).toHaveProperty('put');
  });
});
