import * as z from 'zod/mini';
import { ledger, upstreamSecret } from '#platform';
import { cachedSecret } from '../../lib/credentials/cached-secret.ts';
import { upstreamClient } from '../../lib/upstream/client.ts';
import { accountOf, readUpstreamCredentials } from '../../lib/upstream/credentials.ts';
import { serviceUrl } from '../../lib/upstream/paths.ts';
import { httpTransport } from '../../lib/upstream/transport.ts';
import { NOTHING, readAtStart } from './at-start.ts';
import { toldStale } from './stale.ts';

const { SEGUE_UPSTREAM_URL } = z.object({ SEGUE_UPSTREAM_URL: z.string() }).parse(process.env);

const credentials = cachedSecret(upstreamSecret(), readUpstreamCredentials, {
  now: Date.now,
  onStale: toldStale('staleUpstreamSecret'),
});
await readAtStart(credentials.read(), ledger().read(NOTHING));

/** What is asked behind Segue: the service at another server, and the ledger of who owns what there. */
export const behind = {
  client: upstreamClient({
    transport: httpTransport(serviceUrl(SEGUE_UPSTREAM_URL), Date.now),
    credentials,
    now: Date.now,
  }),
  isOwnAccount: async (companyId: string) => accountOf(await credentials.read(), companyId).isOwn,
  storage: ledger(),
  now: Date.now,
};
