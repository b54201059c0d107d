import { cachedSecret, fixedSecret } from '../../lib/credentials/secrets.ts';
import { hostedService } from '../../lib/hosted/service.ts';
import { type Client, upstreamClient } from '../../lib/upstream/client.ts';
import { readUpstreamCredentials } from '../../lib/upstream/credentials.ts';
import { upstreamService } from '../../lib/upstream/service.ts';
import { ACCOUNTS, type Subject, type Surroundings } from './world.ts';

/** The hosted service on a store of its own, which is right without anything behind it. */
export const HOSTED: Subject = {
  isItself: true,
  make: ({ storage, now, random }) => ({
    ...hostedService({ storage, now, random }),
    reconcile: async () => undefined,
  }),
};

/** Segue in front of the service: two companies on one account, and one on its own. */
export const UPSTREAM: Subject = {
  make(surroundings) {
    const { storage, now, sleep, newId, settleMs } = surroundings;
    const service = upstreamService({
      client: clientOf(surroundings),
      storage,
      now,
      sleep,
      newId,
      settleMs,
      isOwnAccount: async (companyId) => companyId === 'three',
    });
    return { ...service, reconcile: () => service.reconcile(() => true) };
  },
};

/** Calls the service with the account of whoever asks. */
function clientOf({ transport, now, sleep, random, apiKeyOf }: Surroundings): Client {
  const accountOf = (companyId: string) => ({ companyId, apiKey: apiKeyOf(companyId) });
  const secret = { ...accountOf(ACCOUNTS.one), companies: { three: accountOf(ACCOUNTS.three) } };
  const credentials = cachedSecret(fixedSecret(JSON.stringify(secret)), readUpstreamCredentials, { now });
  return upstreamClient({ transport, now, sleep, random, credentials });
}
