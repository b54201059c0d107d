import type { ItemStore } from '../../../lib/storage/port.ts';
import type { Source } from '../../../lib/webhooks/sources.ts';

/** Writes the record of a source as `segue source add` does. */
export async function putSource(
  store: ItemStore,
  { name, companyId, mapping }: Pick<Source, 'name' | 'companyId' | 'mapping'>,
): Promise<void> {
  const data = {
    companyId,
    mapping,
    scheme: { name: 'standard-webhooks' },
    sourceId: '0123456789ab',
    secretsAt: 'nowhere',
    liveSecrets: 1,
    createdAtUtc: '2026-11-20T09:30:00.000Z',
  };
  await store.commit({ writes: [{ kind: 'put', key: { partition: 'webhooks', sort: `source/${name}` }, data }] });
}
