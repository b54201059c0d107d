// Segue loads these modules late. Here they are loaded before, because loading takes real time.
import '../../../lib/hosted/put/put-project.ts';
import '../../../lib/idempotency/operation-state.ts';
import '../../../lib/records/daily-projects.ts';
import '../../../lib/upstream/put-project.ts';
import { cachedSecret } from '../../../lib/credentials/cached-secret.ts';
import { hostedService } from '../../../lib/hosted/service.ts';
import { accountOf, readUpstreamCredentials } from '../../../lib/upstream/accounts.ts';
import { upstreamClient } from '../../../lib/upstream/client.ts';
import { upstreamReconciler } from '../../../lib/upstream/reconciler.ts';
import { upstreamService } from '../../../lib/upstream/service.ts';
import type { Subject } from './world.ts';

/** The hosted service with its own store and no upstream service. */
export const HOSTED: Subject = {
  isItself: true,
  make: ({ storage, now, random, newId }) => ({
    ...hostedService({ storage, now, random, newEventId: newId }),
    reconcile: async () => undefined,
  }),
};

/**
 * Segue in front of the upstream service. Two companies share an account; the third has its own, and signs in for
 * tokens.
 */
export const UPSTREAM: Subject = {
  make({ storage, transport, secret, now, sleep, random, newId, propagationMs }) {
    const credentials = cachedSecret(secret, readUpstreamCredentials, { now });
    const options = {
      client: upstreamClient({ transport, credentials, now, sleep, timer: sleep, random }),
      isOwnAccount: async (companyId: string) => accountOf(await credentials.read(), companyId).isOwn,
      storage,
      now,
      sleep,
      newId,
      newEventId: newId,
      propagationMs,
    };
    const reconcile = upstreamReconciler(options);
    return { ...upstreamService(options), reconcile: () => reconcile(() => true) };
  },
};
