import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import * as z from 'zod/mini';
import { keys, ledger, newEventId, upstreamSecret } from '#platform';
import { cachedSecret } from '../../lib/credentials/secrets.ts';
import { upstreamClient } from '../../lib/upstream/client.ts';
import { readUpstreamCredentials } from '../../lib/upstream/credentials.ts';
import { serviceUrl } from '../../lib/upstream/paths.ts';
import { upstreamService } from '../../lib/upstream/service.ts';
import { httpTransport } from '../../lib/upstream/transport.ts';
import { keyGuard } from './key-guard.ts';
import { startDateToleranceMs } from './settings.ts';
import { toldStale } from './stale.ts';
import { upstreamSettings } from './upstream-settings.ts';

const { SEGUE_UPSTREAM_URL } = z.object({ SEGUE_UPSTREAM_URL: z.string() }).parse(process.env);

const credentials = cachedSecret(upstreamSecret(), readUpstreamCredentials, {
  now: Date.now,
  onStale: toldStale('staleUpstreamSecret'),
});
// While a function starts it has a whole CPU, and often nobody waits. What cannot be read now is read by the first request.
await credentials.read().catch(() => undefined);

/** The service at another server. */
export const service = upstreamService({
  client: upstreamClient({
    transport: httpTransport(serviceUrl(SEGUE_UPSTREAM_URL), Date.now),
    credentials,
    now: Date.now,
  }),
  storage: ledger(),
  now: Date.now,
  sleep: (ms) => setTimeout(ms),
  newId: randomUUID,
  startDateToleranceMs: startDateToleranceMs(),
  ...upstreamSettings(),
  guard: keyGuard(keys()),
  newEventId,
});
