import * as z from 'zod/mini';
import { SWEEP_MARKERS } from '../../../lib/storage/dynamodb/sweep-markers.ts';
import type { Item } from '../../../lib/storage/port.ts';
import type { Doors } from './doors.ts';

const ALL = { limit: 100, maxBytes: 1_000_000 };
const Nothing = z.undefined();
const Listened = z.object({ batchItemFailures: z.tuple([]) });

/** What is done behind the API: the keys are rotated, what was deleted is swept, and what happened is told. */
export async function background({ functions: { call }, table, service }: Doors): Promise<void> {
  for (const Step of ['createSecret', 'setSecret', 'testSecret', 'finishSecret']) {
    const event = { Step, SecretId: 'StoresSigningSecret', ClientRequestToken: 'second' };
    Nothing.parse(await call('rotateSigningKeys', event));
  }
  const events = await table.list('company/acme', { prefix: 'event/', ...ALL });
  Listened.parse(await call('publishEvents', inserted(events.items)));
  if (service === 'upstream') return;
  const marks = await table.list(SWEEP_MARKERS, { prefix: '', ...ALL });
  Listened.parse(await call('sweeper', inserted(marks.items.slice(0, 1))));
  Nothing.parse(await call('sweeper', { source: 'aws.events' }));
}

/** The event by which a stream tells of items. @throws where there are none */
export function inserted(items: readonly Item[]) {
  if (items.length === 0) throw new RangeError('Nothing was written that the stream could tell of');
  return {
    Records: items.map(({ partition, sort }, n) => ({
      eventName: 'INSERT',
      dynamodb: { SequenceNumber: String(n), Keys: { partition: { S: partition }, sort: { S: sort } } },
    })),
  };
}
