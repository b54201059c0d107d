import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { dynamoDbItems } from '../../../lib/storage/dynamodb/items.ts';
import { type DeliveryRef, readState, stateKey } from '../../../lib/webhooks/delivery-records.ts';
import { inboxOn } from '../../../lib/webhooks/inbox.ts';
import { putSource } from '../../lib/webhooks/world.ts';
import { smallProject } from '../../support/projects.ts';
import { inserted } from './background.ts';
import type { Doors } from './doors.ts';

const Nothing = z.undefined();
const Listened = z.object({ batchItemFailures: z.tuple([]) });

/** Gives what it gets, with each text three times: a message makes more of a project than fits into an item. */
const THRICE = 'body ~> |create.segments|{ "content": content & content & content }|';

/** What webhooks bring: small projects and large ones, deletions, and what comes to nothing. */
export async function deliveries({ functions, aws, table }: Doors): Promise<void> {
  await putSource(table, { name: 'cms', companyId: 'acme', mapping: THRICE });
  const store = dynamoDbItems(aws.deliveries.tableName, aws.deliveries.client);
  const inbox = inboxOn(store, { now: Date.now });
  const large = { segments: ['a', 'b'].map((taskId) => ({ taskId, content: randomBytes(90_000).toString('base64') })) };
  const bodies: readonly (readonly [id: string, body: unknown, kind: string])[] = [
    ['create', { create: smallProject({ customId: 'by webhook' }) }, 'done'],
    ['create large', { create: smallProject({ customId: 'large by webhook', ...large }) }, 'done'],
    ['delete task', { delete: { scope: 'task', customId: 'large by webhook', taskId: 'a' } }, 'done'],
    ['delete large', { delete: { scope: 'project', customId: 'large by webhook' } }, 'done'],
    ['delete', { delete: { scope: 'project', customId: 'by webhook' } }, 'done'],
    ['again', { delete: { scope: 'project', customId: 'by webhook' } }, 'done'],
    ['bad', { create: {} }, 'dead'],
  ];
  for (const [id, body, kind] of bodies) {
    const ref: DeliveryRef = { source: 'cms', id };
    const bytes = Buffer.from(JSON.stringify(body));
    await inbox.accept({ ...ref, companyId: 'acme', receivedAtMs: Date.now(), headers: {}, body: bytes });
    const item = await store.read(stateKey(ref));
    Listened.parse(await functions.call('deliveries', inserted(item ? [item] : [])));
    z.object({ kind: z.literal(kind) }).parse(readState((await store.read(stateKey(ref)))?.data));
  }
  Nothing.parse(await functions.call('deliveries', { source: 'aws.events' }));
}
