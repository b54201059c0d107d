import { deliveries, destinationSecrets, ledger, requireCompany, storage } from '#platform';
import { openReads } from '#service';
import { lazy } from '../../lib/contract/lazy.ts';
import { type Destination, readDestination } from '../../lib/destinations/destinations.ts';
import { logResult, type ResultSender, resultSender } from '../../lib/destinations/result-sender.ts';
import { readProjectNames } from '../../lib/hosted/project-names.ts';
import { publicTransport } from '../../lib/service/http-client/public-transport.ts';
import { mapper } from '../../lib/webhooks/mapping/mapper.ts';
import { allowsLoopbackEvents } from './environment.ts';
import { openGetEntries } from './get-entries.ts';

/** Opens what makes the requests of destinations and sends them. Only the hosted service has results to send. */
export async function openResultParts() {
  const { segments } = await openReads();
  return {
    reads: { segments, project: (companyId: string, id: number) => readProjectNames(storage(), companyId, id) },
    mapper: mapper(),
    openGetEntries: lazy(openGetEntries),
    secretOf: async ({ secretsAt }: Pick<Destination, 'secretsAt'>) =>
      secretsAt === undefined ? undefined : (await destinationSecrets()({ secretsAt }))[0],
    send: publicTransport({ allowsLoopback: allowsLoopbackEvents() }),
    now: Date.now,
  };
}

/** Opens the sender of results to destinations. */
export async function openResultSender(): Promise<ResultSender> {
  return resultSender({
    ...(await openResultParts()),
    store: deliveries(),
    findDestination: (name) => readDestination(ledger(), name),
    requireCompany,
    random: Math.random,
    onAttempt: logResult(),
  });
}
