import * as z from 'zod/mini';
import { upstreamSecret } from '#platform';
import { cachedSecret } from '../../lib/credentials/secrets.ts';
import { readUpstreamCredentials } from '../../lib/upstream/credentials.ts';
import { upstreamService } from '../../lib/upstream/service.ts';
import { startDateToleranceMs } from './settings.ts';
import { toldStale } from './stale.ts';

const { SEGUE_UPSTREAM_URL } = z.object({ SEGUE_UPSTREAM_URL: z.string() }).parse(process.env);

const credentials = cachedSecret(upstreamSecret(), readUpstreamCredentials, {
  now: Date.now,
  onStale: toldStale('staleUpstreamSecret'),
});
// While a function starts it has a whole CPU, and often nobody waits. What cannot be read now is read by the first request.
await credentials.read().catch(() => undefined);

/** The service at another server. */
export const service = upstreamService({
  baseUrl: SEGUE_UPSTREAM_URL,
  credentials,
  now: Date.now,
  startDateToleranceMs: startDateToleranceMs(),
});
