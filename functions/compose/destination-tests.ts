import { deliveries, destinationSecrets, storage } from '#platform';
import { openReads } from '#service';
import { lazy } from '../../lib/contract/lazy.ts';
import { type DestinationTests, destinationTests } from '../../lib/destinations/destination-tests.ts';
import { readProjectNames } from '../../lib/hosted/project-names.ts';
import { publicTransport } from '../../lib/service/http-client/public-transport.ts';
import { mapper } from '../../lib/webhooks/mapping/mapper.ts';
import { allowsLoopbackEvents } from './environment.ts';
import { openGetEntries } from './get-entries.ts';

/** Opens the tests of destinations. Only the administration API of `npm start` has them. */
export async function openDestinationTests(): Promise<DestinationTests> {
  const { segments } = await openReads();
  return destinationTests({
    store: storage(),
    deliveries: deliveries(),
    reads: { segments, project: (companyId, id) => readProjectNames(storage(), companyId, id) },
    mapper: mapper(),
    openGetEntries: lazy(openGetEntries),
    secretOf: async ({ secretsAt }) =>
      secretsAt === undefined ? undefined : (await destinationSecrets()({ secretsAt }))[0],
    send: publicTransport({ allowsLoopback: allowsLoopbackEvents() }),
    now: Date.now,
  });
}
