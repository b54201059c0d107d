import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { keys, ledger, newEventId, upstreamSecret } from '#platform';
import { companiesIn } from '../../lib/credentials/companies.ts';
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
// First reads make clients ready. During its start a function has a whole CPU. If they fail, the first request reads again.
await Promise.allSettled([warmUp(), ledger().read({ partition: 'none', sort: 'none' })]);

const upstream = { ...connection, ...upstreamSettings(), storage: ledger(), now: Date.now };

/** The upstream service: the same contract at another server, with a ledger of who owns what there. */
export const service = upstreamService({
  ...upstream,
  ...serviceSettings(),
  sleep: (ms) => setTimeout(ms),
  newId: randomUUID,
  guard: keyGuard(keys()),
  newEventId,
});

/** Compares the projects at the upstream service with the ledger. */
export async function audit(deadline: Deadline): Promise<Audited> {
  const companies = companiesIn(ledger(), Date.now).list();
  const ids = await Array.fromAsync(companies, ({ companyId }) => companyId);
  return auditProjects(upstream, ids, deadline);
}
