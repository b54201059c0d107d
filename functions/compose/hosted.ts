import { keys, newEventId, storage } from '#platform';
import { lazy } from '../../lib/contract/lazy.ts';
import { keyGuard } from '../../lib/credentials/key-directory.ts';
import { hostedChanges, hostedReads, hostedService, hostedTranslations } from '../../lib/hosted/service.ts';
import { WAIT_PAUSES_MS } from '../../lib/workflow/waits/wait-pauses.ts';
import { allowsLoopbackEvents, recoverableMs } from './environment.ts';
import { hostedOptions } from './services.ts';

/** Returns the reader of limits. Only a request for the limits of a day needs its code. */
const companyLimits = () => import('./company-limits.ts');

/** Opens what the hosted service needs. It comes from the platform: AWS, or one machine. */
const openOptions = /* @__PURE__ */ lazy(async () => {
  // This read prepares the clients during the start, when Lambda gives the function a full CPU. A failure is ignored:
  // the first request then prepares the clients.
  await Promise.allSettled([storage().read({ partition: 'none', sort: 'none' })]);
  return hostedOptions({
    storage: storage(),
    newEventId,
    recoverableMs: recoverableMs(),
    allowsLoopbackEvents: allowsLoopbackEvents(),
    guard: keyGuard(keys, Date.now),
    limitsOf: async (companyId) => (await companyLimits()).limitsOf(companyId),
  });
});

// The service and its parts, each once a process.

/** The shortest pause between two looks at a project for which a workflow waits, in milliseconds. */
export const waitPauseMs = WAIT_PAUSES_MS.hosted;

export const openService = /* @__PURE__ */ lazy(async () => hostedService(await openOptions()));
export const openChanges = /* @__PURE__ */ lazy(async () => hostedChanges(await openOptions()));
export const openReads = /* @__PURE__ */ lazy(async () => hostedReads(await openOptions()));
export const openTranslations = /* @__PURE__ */ lazy(async () => hostedTranslations(await openOptions()));
