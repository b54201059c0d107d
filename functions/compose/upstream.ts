import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { credentials, keys, ledger, newEventId, upstreamSecret } from '#platform';
import { companyIdsIn } from '../../lib/credentials/company-record.ts';
import { keyGuard } from '../../lib/credentials/key-directory.ts';
import type { Deadline } from '../../lib/service/deadline.ts';
import { logStaleSecret } from '../../lib/service/log.ts';
import { type Audited, audit as auditProjects } from '../../lib/upstream/audit.ts';
import { connectUpstream } from '../../lib/upstream/client.ts';
import { serviceUrl } from '../../lib/upstream/requests.ts';
import { upstreamService } from '../../lib/upstream/service.ts';
import { required, serviceSettings, upstreamSettings } from './settings.ts';

const { warmUp, ...connection } = connectUpstream({
  url: serviceUrl(required('SEGUE_UPSTREAM_URL')),
  readSecret: upstreamSecret(),
  now: Date.now,
  onStale: logStaleSecret('staleUpstreamSecret'),
});
// These reads prepare the clients during the start, when Lambda gives the function a full CPU. A failure is ignored:
// the first request then prepares the clients.
await Promise.allSettled([warmUp(), ledger().read({ partition: 'none', sort: 'none' })]);

const upstream = { ...connection, ...upstreamSettings(), storage: ledger(), now: Date.now };

/**
 * The project service that passes requests on to the upstream service. A ledger records which company owns each
 * project.
 */
export const service = upstreamService({
  ...upstream,
  ...serviceSettings(),
  sleep: (ms) => setTimeout(ms),
  newId: randomUUID,
  guard: keyGuard(keys, Date.now),
  newEventId,
});

/** Compares the projects at the upstream service with the ledger of all companies. */
export async function audit(deadline: Deadline): Promise<Audited> {
  const ids = await Array.fromAsync(companyIdsIn(credentials()));
  return auditProjects(upstream, ids, deadline);
}
