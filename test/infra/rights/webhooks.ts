import { type SourceRecord, sourceKey } from '../../../lib/webhooks/sources.ts';
import { senderOf } from '../../support/senders.ts';
import type { Doors } from './doors.ts';

const sender = senderOf('github');

/** A source as the command line leaves it in the table. */
export const SOURCE = {
  companyId: 'acme',
  mapping: '{ "create": body }',
  scheme: sender.settings,
  sourceId: '0123456789ab',
  secretsAt: 'cms-0123456789ab',
  liveSecrets: 1,
  createdAtUtc: '2026-11-20T09:30:00.000Z',
} satisfies SourceRecord;

/** Messages of a source: first ones and repeated ones, of somebody else, and of no source. */
export async function webhooks({ ask, table }: Doors): Promise<void> {
  await table.commit({ writes: [{ kind: 'insert', key: sourceKey('cms'), data: SOURCE }] });
  const message = { body: '{}', atMs: 0, id: '' };
  const sent = { segment: 'cms', body: message.body, authorizer: null, headers: sender.sign(message) };
  await ask('receiveWebhook', 202, sent);
  await ask('receiveWebhook', 202, sent);
  await ask('receiveWebhook', 401, { ...sent, body: '{ }' });
  await ask('receiveWebhook', 404, { ...sent, segment: 'none' });
}
