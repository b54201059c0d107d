import { cachedSecret } from '../../../lib/credentials/cached-secret.ts';
import { hostedService } from '../../../lib/hosted/service.ts';
import { accountOf, readUpstreamCredentials } from '../../../lib/upstream/accounts.ts';
import { upstreamClient } from '../../../lib/upstream/client.ts';
import { upstreamService } from '../../../lib/upstream/service.ts';
import type { Subject } from './world.ts';

/** The hosted service on a store of its own, which is right without anything behind it. */
export const HOSTED: Subject = {
  isItself: true,
  make: ({ storage, now, random }) => ({
    ...hostedService({ storage, now, random }),
    reconcile: async () => undefined,
  }),
};

/** Segue in front of the service: two companies on one account, and one on its own, which is shown by tokens. */
export const UPSTREAM: Subject = {
  make({ storage, transport, secret, now, sleep, random, newId, propagationMs }) {
    const credentials = cachedSecret(secret, readUpstreamCredentials, { now });
    const service = upstreamService({
      client: upstreamClient({ transport, credentials, now, sleep, timer: sleep, random }),
      isOwnAccount: async (companyId) => accountOf(await credentials.read(), companyId).isOwn,
      storage,
      now,
      sleep,
      newId,
      propagationMs,
    });
    return { ...service, reconcile: () => service.reconcile(() => true) };
  },
};
