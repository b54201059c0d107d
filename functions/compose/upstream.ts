import { credentials, keys, ledger, newEventId, upstreamSecret } from '#platform';
import { lazy } from '../../lib/contract/lazy.ts';
import { companyIdsIn } from '../../lib/credentials/company-record.ts';
import { keyGuard } from '../../lib/credentials/key-directory.ts';
import type { Deadline } from '../../lib/service/deadline.ts';
import { logStaleSecret } from '../../lib/service/log.ts';
import type { TranslationChanges } from '../../lib/service/port.ts';
import { type Audited, audit as auditProjects } from '../../lib/upstream/audit.ts';
import { connectUpstream } from '../../lib/upstream/client.ts';
import { upstreamReconciler } from '../../lib/upstream/reconciler.ts';
import { serviceUrl } from '../../lib/upstream/requests.ts';
import { upstreamChanges, upstreamReads, upstreamService } from '../../lib/upstream/service.ts';
import { WAIT_PAUSES_MS } from '../../lib/workflow/waits/wait-pauses.ts';
import { required, upstreamSettings } from './environment.ts';
import { upstreamOptions } from './services.ts';

/** Returns the reader of limits. Only a request for the limits of a day needs its code. */
const companyLimits = () => import('./company-limits.ts');
/** Returns the reader of the allowed lookups. Only a lookup needs its code. */
const lookups = () => import('./lookups.ts');

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
  return {
    ...connection,
    ...upstreamSettings(),
    storage: ledger(),
    guard: keyGuard(keys, Date.now),
    limitsOf: async (companyId: string) => (await companyLimits()).limitsOf(companyId),
    allowedLookups: async () => (await lookups()).allowedLookups(),
    newEventId,
  };
});

const openOptions = /* @__PURE__ */ lazy(async () => upstreamOptions(await openUpstream()));

// The service that passes requests on, and its parts, each once a process.

export const openService = /* @__PURE__ */ lazy(async () => upstreamService(await openOptions()));
export const openChanges = /* @__PURE__ */ lazy(async () => upstreamChanges(await openOptions()));
export const openReads = /* @__PURE__ */ lazy(async () => upstreamReads(await openOptions()));

/** The shortest pause between two looks at a project for which a workflow waits, in milliseconds. */
export const waitPauseMs = WAIT_PAUSES_MS.upstream;

/** Another service has no operations for translations. */
export const openTranslations = async (): Promise<TranslationChanges> => ({});

/** Opens the reconciler, which finishes the operations that requests left open. */
export const openReconciler = async () => upstreamReconciler(await openOptions());

/** Compares the projects at the upstream service with the ledger of all companies. */
export async function audit(deadline: Deadline): Promise<Audited> {
  const ids = await Array.fromAsync(companyIdsIn(credentials()));
  return auditProjects({ ...(await openUpstream()), now: Date.now }, ids, deadline);
}
