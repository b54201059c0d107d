import { deliveries, destinationSecrets, ledger, requireCompany, storage } from '#platform';
import { openReads } from '#service';
import { lazy } from '../../lib/contract/lazy.ts';
import { readDestination } from '../../lib/destinations/destinations.ts';
import { logResult, type ResultSender, resultSender } from '../../lib/destinations/result-sender.ts';
import { readProjectNames } from '../../lib/hosted/project-names.ts';
import { publicTransport } from '../../lib/service/http-client/public-transport.ts';
import { mapper } from '../../lib/webhooks/mapping/mapper.ts';
import { allowsLoopbackEvents } from './environment.ts';
import { openGetEntries } from './get-entries.ts';

/** Opens the sender of results to destinations. Only the hosted service has results to send. */
export async function openResultSender(): Promise<ResultSender> {
  const { segments } = await openReads();
  return resultSender({
    store: deliveries(),
    findDestination: (name) => readDestination(ledger(), name),
    reads: { segments, project: (companyId, id) => readProjectNames(storage(), companyId, id) },
    mapper: mapper(),
    openGetEntries: lazy(openGetEntries),
    secretOf: async ({ secretsAt }) =>
      secretsAt === undefined ? undefined : (await destinationSecrets()({ secretsAt }))[0],
    requireCompany,
    send: publicTransport({ allowsLoopback: allowsLoopbackEvents() }),
    now: Date.now,
    random: Math.random,
    onAttempt: logResult(),
  });
}
