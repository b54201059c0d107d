import { credentials, keys, ledger, newEventId, upstreamSecret } from '#platform';
import { lazy } from '../../lib/contract/lazy.ts';
import { companyIdsIn } from '../../lib/credentials/company-record.ts';
import { keyGuard } from '../../lib/credentials/key-directory.ts';
import type { Deadline } from '../../lib/service/deadline.ts';
import { logStaleSecret } from '../../lib/service/log.ts';
import { type Audited, audit as auditProjects } from '../../lib/upstream/audit.ts';
import { connectUpstream } from '../../lib/upstream/client.ts';
import { serviceUrl } from '../../lib/upstream/requests.ts';
import { required, upstreamSettings } from './environment.ts';
import { reconcilerOn, upstreamOn } from './services.ts';

/** Opens the connection to the upstream service, once a process, with the ledger of the companies that own its projects. */
const openUpstream = /* @__PURE__ */ lazy(async () => {
  const { warmUp, ...connection } = connectUpstream({
    url: serviceUrl(required('SEGUE_UPSTREAM_URL')),
    readSecret: upstreamSecret(),
    now: Date.now,
    onStale: logStaleSecret('staleUpstreamSecret'),
  });
  // These reads prepare the clients during the start, when Lambda gives the function a full CPU. A failure is ignored:
  // the first request then prepares the clients.
  await Promise.allSettled([warmUp(), ledger().read({ partition: 'none', sort: 'none' })]);
  return { ...connection, ...upstreamSettings(), storage: ledger(), guard: keyGuard(keys, Date.now), newEventId };
});

/** Opens the project service that passes requests on to the upstream service, once a process. */
export const openService = /* @__PURE__ */ lazy(async () => upstreamOn(await openUpstream()));

/** Opens the reconciler, which finishes the operations that requests left open. */
export const openReconciler = async () => reconcilerOn(await openUpstream());

/** Compares the projects at the upstream service with the ledger of all companies. */
export async function audit(deadline: Deadline): Promise<Audited> {
  const ids = await Array.fromAsync(companyIdsIn(credentials()));
  return auditProjects({ ...(await openUpstream()), now: Date.now }, ids, deadline);
}
